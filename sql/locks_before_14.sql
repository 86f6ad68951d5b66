-- One row a lock of the shared table: every advisory lock, every wait of any kind and whatever it
-- waits for, and the transactionid locks that tell which prepared transaction is which.
-- No parameters. For server 13, which has no waitstart. pg_locks is read once: it stops the lock manager while it is copied.
-- A fast-path lock is none of these: whoever asks for a conflicting one moves it to the shared table
-- before waiting (lock.c, FastPathTransferRelationLocks and VirtualXactLock). What is left of locks
-- that nobody waits for, the reader drops: sorting them out here would copy the whole table again.
SELECT
    l.locktype AS locktype,
    l.database AS database,
    l.relation AS relation,
    l.page AS page,
    l.tuple AS tuple,
    l.virtualxid AS virtualxid,
    l.transactionid AS transactionid,
    l.classid AS classid,
    l.objid AS objid,
    l.objsubid AS objsubid,
    l.virtualtransaction AS virtualtransaction,
    l.pid AS pid,
    l.mode AS mode,
    l.granted AS granted,
    NULL::timestamptz AS waitstart
FROM pg_catalog.pg_locks AS l
WHERE NOT l.fastpath;
