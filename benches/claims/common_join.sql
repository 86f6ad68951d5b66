-- What people paste into psql: who holds or waits for advisory locks, oldest first. One row a lock.
SELECT
    a.pid,
    a.usename,
    a.client_addr,
    a.state,
    now() - a.query_start AS query_age,
    now() - a.state_change AS state_age,
    l.locktype,
    l.mode,
    l.granted,
    l.classid,
    l.objid,
    a.query
FROM pg_locks AS l
JOIN pg_stat_activity AS a ON a.pid = l.pid
WHERE l.locktype = 'advisory'
ORDER BY a.query_start;
