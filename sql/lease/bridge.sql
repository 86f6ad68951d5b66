-- One row if the lease is this holder's, under this token, has time left, and is known from now on to be bridged: its
-- holder has the old key beside it. None: it is lost for certain, and the key is to be given back.
-- $1 name, $2 holder, $3 token. Servers from 13 on, primaries only. Ask it once the key is held, and work only
-- afterwards. As in renew.sql the clock is read when the row is locked: a lease that ended meanwhile stays ended.
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
UPDATE lockaudit_lease AS l SET bridged = true
FROM mine AS m
WHERE l.name = m.name AND m.expires_at > pg_catalog.clock_timestamp()
RETURNING
    l.expires_at AS expires_at,
    extract(epoch FROM l.expires_at - pg_catalog.clock_timestamp())::float8 AS remaining_seconds,
    l.mode AS mode,
    l.bridged AS bridged;
