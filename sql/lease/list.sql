-- One row a name: who has its lease since when, its mode, and for how long still; seconds below zero are since its end.
-- No parameters. Servers from 13 on. Reads only. Seconds are subtracted, not times: somebody may have written `infinity`.
SELECT
    l.name AS name,
    l.holder AS holder,
    l.token AS token,
    l.taken_at AS taken_at,
    l.expires_at AS expires_at,
    (extract(epoch FROM pg_catalog.clock_timestamp()) - extract(epoch FROM l.taken_at))::float8 AS held_seconds,
    extract(epoch FROM l.ttl)::float8 AS ttl_seconds,
    CASE WHEN l.holder IS NOT NULL
        THEN (extract(epoch FROM l.expires_at) - extract(epoch FROM pg_catalog.clock_timestamp()))::float8 END AS remaining_seconds,
    l.mode AS mode,
    l.bridged AS bridged
FROM lockaudit_lease AS l
ORDER BY l.name;
