-- One row: the server's clock, how many advisory locks this session holds, in share mode, and for how long the fence's
-- lease was renewed; NULL if it is lost. Asked on the session that holds the keys: what it says is true of them.
-- $1 name, $2 holder, $3 token, $4 seconds to live. Servers from 13 on, primaries only.
WITH mine AS MATERIALIZED (
    SELECT
        l.name AS name,
        l.expires_at AS expires_at
    FROM lockaudit_lease AS l
    WHERE l.name = $1 AND l.holder = $2 AND l.token = $3
    FOR NO KEY UPDATE
), renewed AS (
    UPDATE lockaudit_lease AS l SET
        ttl = pg_catalog.make_interval(secs => $4),
        expires_at = pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => $4)
    FROM mine AS m
    WHERE l.name = m.name AND m.expires_at > pg_catalog.clock_timestamp()
    RETURNING l.expires_at AS expires_at
)
SELECT
    pg_catalog.clock_timestamp() AS at,
    (
        SELECT count(*)
        FROM pg_catalog.pg_locks AS k
        WHERE k.locktype = 'advisory' AND k.mode = 'ShareLock' AND k.granted AND k.pid = pg_catalog.pg_backend_pid()
    ) AS keys,
    (SELECT extract(epoch FROM r.expires_at - pg_catalog.clock_timestamp())::float8 FROM renewed AS r) AS remaining_seconds;
