-- One row a lock on the old key of a name, granted or waited for; pid is NULL for a prepared transaction.
-- No parameters. Servers from 13 on. Reads only. Our own session is left out: it holds none between two statements.
SELECT
    l.name AS name,
    k.pid AS pid,
    k.mode AS mode,
    k.granted AS granted,
    a.application_name AS application_name
FROM pg_catalog.pg_locks AS k
JOIN lockaudit_lease AS l ON CASE k.objsubid
    WHEN 1 THEN k.classid = ((l.key >> 32) & 4294967295)::pg_catalog.oid
        AND k.objid = (l.key & 4294967295)::pg_catalog.oid
    WHEN 2 THEN k.classid = (l.key1::bigint & 4294967295)::pg_catalog.oid
        AND k.objid = (l.key2::bigint & 4294967295)::pg_catalog.oid
    END
LEFT JOIN pg_catalog.pg_stat_get_activity(NULL) AS a ON a.pid = k.pid
WHERE k.locktype = 'advisory'
    AND k.database = (SELECT d.oid FROM pg_catalog.pg_database AS d WHERE d.datname = pg_catalog.current_database())
    AND k.pid IS DISTINCT FROM pg_catalog.pg_backend_pid()
ORDER BY l.name, k.granted DESC, k.pid;
