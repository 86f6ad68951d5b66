-- One row a fence: who has its lease, or had it last without giving it back; seconds below zero are since it ran out.
-- $1 the names that fences of this database have. Servers from 13 on. Reads only.
SELECT
    l.name AS name,
    l.holder AS holder,
    extract(epoch FROM l.expires_at - pg_catalog.clock_timestamp())::float8 AS remaining_seconds
FROM lockaudit_lease AS l
WHERE l.name = ANY ($1) AND l.holder IS NOT NULL
ORDER BY l.name;
