-- Ends a session if it is still the one that was seen, still in the state that was seen, and still
-- holds this very lock. One row, true, when it was told to end; no row when anything has changed:
-- nothing was done then. Our own session is never ended: behind a pooler it may be the holder.
-- $1 int4: its pid. $2 timestamptz: its backend_start, since pids recur. $3 text: its state, NULL
-- for a background process. $4 timestamptz: when its statement began if it is active, else when its
-- transaction began, NULL outside of one. $5 oid: the lock's database. $6 oid: its classid.
-- $7 oid: its objid. $8 int2: its objsubid. $9 text: its mode. Any server from 13 on.
-- The function form of the activity needs no lock on a shared catalog.
WITH unchanged AS MATERIALIZED (
    SELECT a.pid AS pid
    FROM pg_catalog.pg_stat_get_activity($1) AS a
    WHERE a.pid <> pg_catalog.pg_backend_pid()
        AND a.backend_start = $2
        AND a.state IS NOT DISTINCT FROM $3
        AND CASE WHEN a.state = 'active' THEN a.query_start ELSE a.xact_start END IS NOT DISTINCT FROM $4
        AND EXISTS (
            SELECT FROM pg_catalog.pg_locks AS l
            WHERE l.locktype = 'advisory'
                AND l.granted
                AND l.pid = a.pid
                AND l.database = $5
                AND l.classid = $6
                AND l.objid = $7
                AND l.objsubid = $8
                AND l.mode = $9
        )
)
SELECT pg_catalog.pg_terminate_backend(u.pid) AS ended
FROM unchanged AS u;
