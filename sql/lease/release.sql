-- One row if the lease was this holder's, under this token, and is free now. None: it was not, and nothing was done.
-- $1 name, $2 holder, $3 token, $4 why. Servers from 13 on, primaries only. Whoever waits may be told afterwards, by
-- notify.sql in a transaction of its own: NOTIFY holds a lock of the whole server until its transaction ends.
-- Durable, whatever the session's synchronous_commit is: what a crash forgets would be valid again.
WITH released AS (
    UPDATE lockaudit_lease AS l SET holder = NULL, expires_at = '-infinity', bridged = false
    WHERE l.name = $1 AND l.holder = $2 AND l.token = $3
    RETURNING
        l.token AS token,
        pg_catalog.set_config('synchronous_commit', CASE pg_catalog.current_setting('synchronous_commit')
            WHEN 'off' THEN 'on' WHEN 'local' THEN 'on'
            ELSE pg_catalog.current_setting('synchronous_commit') END, true) AS durable
), logged AS (
    INSERT INTO lockaudit_lease_log (name, token, event, holder, reason)
    SELECT $1, r.token, 'released', $2, $4
    FROM released AS r
    ON CONFLICT DO NOTHING
)
SELECT r.token AS token
FROM released AS r;
