-- One row if somebody had the lease: who, under which token, and whether it had time left. It is free now, and the
-- token has risen, so that whoever had it is refused everywhere. None: nobody had it, and nothing was done.
-- $1 name, $2 why. Servers from 13 on, primaries only. Durable, whatever the session's synchronous_commit is: what a
-- crash forgets would be valid again.
WITH had AS MATERIALIZED (
    SELECT
        l.name AS name,
        l.holder AS holder,
        l.token AS token,
        l.expires_at AS expires_at,
        pg_catalog.set_config('synchronous_commit', CASE pg_catalog.current_setting('synchronous_commit')
            WHEN 'off' THEN 'on' WHEN 'local' THEN 'on'
            ELSE pg_catalog.current_setting('synchronous_commit') END, true) AS durable
    FROM lockaudit_lease AS l
    WHERE l.name = $1 AND l.holder IS NOT NULL
    FOR NO KEY UPDATE
), broken AS (
    UPDATE lockaudit_lease AS l SET
        holder = NULL,
        token = l.token + 1,
        expires_at = '-infinity',
        bridged = false
    FROM had AS h
    WHERE l.name = h.name
    RETURNING h.holder AS holder, h.token AS token, h.expires_at AS expires_at
), logged AS (
    INSERT INTO lockaudit_lease_log (name, token, event, holder, reason)
    SELECT $1, b.token, 'broken', b.holder, $2
    FROM broken AS b
    ON CONFLICT DO NOTHING
)
SELECT
    b.holder AS holder,
    b.token AS token,
    (extract(epoch FROM b.expires_at) - extract(epoch FROM pg_catalog.clock_timestamp()))::float8 AS remaining_seconds
FROM broken AS b;
