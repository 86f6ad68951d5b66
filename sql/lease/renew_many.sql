-- One row a lease that is still its holder's and has been given its time anew; those that are missing are lost
-- for certain.
-- $1 names, $2 holders, $3 tokens: the n-th of each belong together, $4 seconds to live of all. Servers from 13 on,
-- primaries only. One transaction for all, and the rows are locked in the order of their names, so that two such
-- statements never wait for each other. As in renew.sql the clock is read when the rows are locked.
WITH asked AS (
    SELECT a.name AS name, a.holder AS holder, a.token AS token
    FROM ROWS FROM (
        pg_catalog.unnest($1::text[]), pg_catalog.unnest($2::text[]), pg_catalog.unnest($3::bigint[])
    ) AS a (name, holder, token)
), durable AS MATERIALIZED (
    SELECT pg_catalog.set_config('synchronous_commit', CASE pg_catalog.current_setting('synchronous_commit')
        WHEN 'off' THEN 'on' WHEN 'local' THEN 'on'
        ELSE pg_catalog.current_setting('synchronous_commit') END, true) AS setting
), mine AS MATERIALIZED (
    SELECT l.name AS name, l.expires_at AS expires_at
    FROM lockaudit_lease AS l
    JOIN asked AS a ON l.name = a.name AND l.holder = a.holder AND l.token = a.token
    CROSS JOIN durable AS d
    ORDER BY l.name
    FOR NO KEY UPDATE OF l
)
UPDATE lockaudit_lease AS l SET
    ttl = pg_catalog.make_interval(secs => $4),
    expires_at = pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => $4)
FROM mine AS m
WHERE l.name = m.name AND m.expires_at > pg_catalog.clock_timestamp()
RETURNING
    l.name AS name,
    l.expires_at AS expires_at,
    extract(epoch FROM l.expires_at - pg_catalog.clock_timestamp())::float8 AS remaining_seconds,
    l.mode AS mode,
    l.bridged AS bridged;
