-- One row a lock of one advisory key, granted or waited for; pid is NULL for a prepared transaction.
-- $1 oid: the database. $2 oid: classid. $3 oid: objid. $4 int2: objsubid. Any server from 13 on.
SELECT
    l.pid AS pid,
    l.mode AS mode,
    l.granted AS granted
FROM pg_catalog.pg_locks AS l
WHERE l.locktype = 'advisory'
    AND l.database = $1
    AND l.classid = $2
    AND l.objid = $3
    AND l.objsubid = $4;
