-- One row if the lease is held and has time left. None: it is not, or not by this holder or under this token.
-- $1 name, $2 holder or NULL for any, $3 token or NULL for any. Servers from 13 on. Reads only: true when it was read.
SELECT
    l.holder AS holder,
    l.token AS token,
    l.expires_at AS expires_at,
    (extract(epoch FROM l.expires_at) - extract(epoch FROM pg_catalog.clock_timestamp()))::float8 AS remaining_seconds
FROM lockaudit_lease AS l
WHERE l.name = $1
    AND l.holder IS NOT NULL
    AND l.holder = coalesce($2, l.holder)
    AND l.token = coalesce($3, l.token)
    AND l.expires_at > pg_catalog.clock_timestamp();
