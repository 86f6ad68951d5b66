-- One row if the name is known: who has the lease, under which token, and for how long still; seconds below
-- zero are since its end. None if nobody ever took it. Reads only, so any number may ask, and locks nothing.
-- $1 name. Servers from 13 on, standbys too (which may lag).
SELECT
    l.holder AS holder,
    l.token AS token,
    l.mode AS mode,
    CASE WHEN l.holder IS NOT NULL
        THEN (extract(epoch FROM l.expires_at) - extract(epoch FROM pg_catalog.clock_timestamp()))::float8 END AS remaining_seconds
FROM lockaudit_lease AS l
WHERE l.name = $1;
