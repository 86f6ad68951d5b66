-- One row a session that has the old key of a name exclusively, or waits for it so: what old code does.
-- $1 names. Servers from 13 on. Reads only. since: when the session of a holder began, or the statement of a waiter;
-- NULL where our role may not see it. pid is NULL for a prepared transaction.
SELECT
    l.name AS name,
    k.pid AS pid,
    k.granted AS granted,
    a.application_name AS application_name,
    CASE WHEN k.granted THEN a.backend_start ELSE a.query_start END AS since
FROM pg_catalog.pg_locks AS k
JOIN lockaudit_lease AS l ON CASE k.objsubid
    WHEN 1 THEN k.classid = ((l.key >> 32) & 4294967295)::pg_catalog.oid
        AND k.objid = (l.key & 4294967295)::pg_catalog.oid
    WHEN 2 THEN k.classid = (l.key1::bigint & 4294967295)::pg_catalog.oid
        AND k.objid = (l.key2::bigint & 4294967295)::pg_catalog.oid
    END
LEFT JOIN pg_catalog.pg_stat_get_activity(NULL) AS a ON a.pid = k.pid
WHERE k.locktype = 'advisory'
    AND k.mode = 'ExclusiveLock'
    AND k.database = (SELECT d.oid FROM pg_catalog.pg_database AS d WHERE d.datname = pg_catalog.current_database())
    AND l.name = ANY ($1)
ORDER BY l.name, k.granted DESC, k.pid;
