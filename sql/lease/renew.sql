-- One row if the lease is still this holder's, under this token, and has been given its time anew. None: it is
-- lost for certain, whoever has it now.
-- $1 name, $2 holder, $3 token, $4 seconds to live. Servers from 13 on, primaries only. It never inserts.
--
-- The row is locked first and judged afterwards: an UPDATE alone would compare the clock before it waits for the
-- row, and would revive a lease that ended while it waited.
WITH mine AS MATERIALIZED (
    SELECT
        l.name AS name,
        l.expires_at AS expires_at,
        pg_catalog.set_config('synchronous_commit', CASE pg_catalog.current_setting('synchronous_commit')
            WHEN 'off' THEN 'on' WHEN 'local' THEN 'on'
            ELSE pg_catalog.current_setting('synchronous_commit') END, true) AS durable
    FROM lockaudit_lease AS l
    WHERE l.name = $1 AND l.holder = $2 AND l.token = $3
    FOR NO KEY UPDATE
)
UPDATE lockaudit_lease AS l SET
    ttl = pg_catalog.make_interval(secs => $4),
    expires_at = pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => $4)
FROM mine AS m
WHERE l.name = m.name AND m.expires_at > pg_catalog.clock_timestamp()
RETURNING
    l.expires_at AS expires_at,
    extract(epoch FROM l.expires_at - pg_catalog.clock_timestamp())::float8 AS remaining_seconds,
    l.mode AS mode,
    l.bridged AS bridged;
