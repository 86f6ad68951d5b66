-- One row a name that has an old key, or had one: its mode and since when, its lease, and what is known of old code.
-- $1 name, or NULL for all. Servers from 13 on. Reads only. All lengths of time are by the server's clock.
SELECT
    l.name AS name,
    l.mode AS mode,
    l.key AS key,
    l.key1 AS key1,
    l.key2 AS key2,
    extract(epoch FROM n.at - m.at)::float8 AS mode_seconds,
    l.holder AS holder,
    CASE WHEN l.holder IS NOT NULL THEN extract(epoch FROM l.expires_at - n.at)::float8 END AS remaining_seconds,
    l.bridged AS bridged,
    extract(epoch FROM n.at - w.watched_at)::float8 AS watched_seconds_ago,
    extract(epoch FROM n.at - w.quiet_since)::float8 AS quiet_seconds,
    extract(epoch FROM n.at - w.seen_at)::float8 AS seen_seconds_ago,
    extract(epoch FROM n.at - w.calls_since)::float8 AS calls_quiet_seconds,
    extract(epoch FROM n.at - w.fenced_at)::float8 AS fenced_seconds_ago
FROM lockaudit_lease AS l
CROSS JOIN (SELECT pg_catalog.clock_timestamp() AS at) AS n
LEFT JOIN LATERAL (
    SELECT g.at AS at
    FROM lockaudit_lease_log AS g
    WHERE g.name = l.name AND g.event = 'mode'
    ORDER BY g.id DESC
    LIMIT 1
) AS m ON true
LEFT JOIN lockaudit_lease_watch AS w ON w.name = l.name
WHERE ($1::text IS NULL OR l.name = $1)
    AND (l.mode <> 'lease' OR l.key IS NOT NULL OR l.key1 IS NOT NULL OR m.at IS NOT NULL)
ORDER BY l.name;
