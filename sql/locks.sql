-- One row a lock that matters here: every advisory lock, every wait of any kind, what those waits
-- wait for, and the transactionid locks that tell which prepared transaction is which.
-- No parameters. Servers from 14 on. pg_locks is read once (it stops the lock manager while it is
-- copied); the last condition is met in the copy, and is not even looked at for advisory rows.
WITH copy AS MATERIALIZED (
    SELECT
        l.locktype, l.database, l.relation, l.page, l.tuple, l.virtualxid, l.transactionid,
        l.classid, l.objid, l.objsubid, l.virtualtransaction, l.pid, l.mode, l.granted, l.waitstart
    FROM pg_catalog.pg_locks AS l
)
SELECT
    c.locktype AS locktype,
    c.database AS database,
    c.relation AS relation,
    c.page AS page,
    c.tuple AS tuple,
    c.virtualxid AS virtualxid,
    c.transactionid AS transactionid,
    c.classid AS classid,
    c.objid AS objid,
    c.objsubid AS objsubid,
    c.virtualtransaction AS virtualtransaction,
    c.pid AS pid,
    c.mode AS mode,
    c.granted AS granted,
    c.waitstart AS waitstart
FROM copy AS c
WHERE c.locktype = 'advisory'
    OR NOT c.granted
    OR (c.pid IS NULL AND c.locktype = 'transactionid')
    OR ROW(
        c.locktype, c.database, c.relation, c.page, c.tuple, c.virtualxid, c.transactionid,
        c.classid, c.objid, c.objsubid
    )::text IN (
        SELECT ROW(
            w.locktype, w.database, w.relation, w.page, w.tuple, w.virtualxid, w.transactionid,
            w.classid, w.objid, w.objsubid
        )::text
        FROM copy AS w
        WHERE NOT w.granted AND w.locktype <> 'advisory'
    );
