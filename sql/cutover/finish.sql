-- One row a name that has an old key: its mode, whether the key is free, how long it is in that mode, and whether the
-- key was forgotten. All are, and are written to the log, if each is in mode `lease` for $1 and its key is free; else
-- nothing was done.
-- $1 seconds that each must have been in mode `lease`, $2 who. Servers from 13 on, primaries only.
WITH locked AS MATERIALIZED (
    SELECT l.name AS name, l.token AS token, l.mode AS mode, l.key AS key, l.key1 AS key1, l.key2 AS key2
    FROM lockaudit_lease AS l
    WHERE l.key IS NOT NULL OR l.key1 IS NOT NULL
    ORDER BY l.name
    FOR NO KEY UPDATE
), gated AS MATERIALIZED (
    SELECT
        k.name AS name,
        k.token AS token,
        k.mode AS mode,
        CASE WHEN k.key IS NULL THEN '(' || k.key1 || ', ' || k.key2 || ')' ELSE k.key::text END AS key,
        extract(epoch FROM pg_catalog.clock_timestamp() - (
            SELECT max(g.at) FROM lockaudit_lease_log AS g WHERE g.name = k.name AND g.event = 'mode'
        ))::float8 AS mode_seconds,
        CASE
            WHEN k.mode <> 'lease' THEN true
            WHEN k.key IS NOT NULL THEN pg_catalog.pg_try_advisory_xact_lock_shared(k.key)
            ELSE pg_catalog.pg_try_advisory_xact_lock_shared(k.key1, k.key2)
        END AS key_free
    FROM locked AS k
), finished AS (
    UPDATE lockaudit_lease AS l SET key = NULL, key1 = NULL, key2 = NULL
    FROM gated AS g
    WHERE l.name = g.name
        AND NOT EXISTS (
            SELECT
            FROM gated AS o
            WHERE (o.mode = 'lease' AND o.key_free AND o.mode_seconds >= $1) IS NOT TRUE
        )
    RETURNING g.name AS name, g.token AS token, g.key AS key
), logged AS (
    INSERT INTO lockaudit_lease_log (name, token, event, holder, reason)
    SELECT f.name, f.token, 'mode', $2, 'finished: lease; the old key was ' || f.key
    FROM finished AS f
)
SELECT
    g.name AS name,
    g.mode AS mode,
    g.key AS key,
    g.mode_seconds AS mode_seconds,
    g.key_free AS key_free,
    EXISTS (SELECT FROM finished AS f) AS finished
FROM gated AS g
ORDER BY g.name;
