-- One row a name in mode `both`: whether its old key was held or waited for exclusively just now. What was seen is
-- written down: a name is quiet since the last time, or since nobody looked for longer than $1.
-- $1 seconds that may lie between two looks, $2 advisory calls counted so far, NULL where they can't be, $3 the names
-- whose old keys the fence that looks holds now. Servers from 13 on, primaries only.
WITH looked AS MATERIALIZED (
    SELECT
        l.name AS name,
        EXISTS (
            SELECT
            FROM pg_catalog.pg_locks AS k
            WHERE k.locktype = 'advisory'
                AND k.mode = 'ExclusiveLock'
                AND k.database = (
                    SELECT d.oid FROM pg_catalog.pg_database AS d WHERE d.datname = pg_catalog.current_database()
                )
                AND CASE k.objsubid
                    WHEN 1 THEN k.classid = ((l.key >> 32) & 4294967295)::pg_catalog.oid
                        AND k.objid = (l.key & 4294967295)::pg_catalog.oid
                    WHEN 2 THEN k.classid = (l.key1::bigint & 4294967295)::pg_catalog.oid
                        AND k.objid = (l.key2::bigint & 4294967295)::pg_catalog.oid
                END
        ) AS used,
        pg_catalog.clock_timestamp() AS at
    FROM lockaudit_lease AS l
    WHERE l.mode = 'both'
), noted AS (
    INSERT INTO lockaudit_lease_watch AS w (name, watched_at, quiet_since, seen_at, calls, calls_since, fenced_at)
    SELECT
        o.name,
        o.at,
        o.at,
        CASE WHEN o.used THEN o.at END,
        $2,
        CASE WHEN $2::bigint IS NOT NULL THEN o.at END,
        CASE WHEN o.name = ANY ($3::text[]) THEN o.at END
    FROM looked AS o
    ORDER BY o.name
    ON CONFLICT (name) DO UPDATE SET
        watched_at = greatest(w.watched_at, excluded.watched_at),
        quiet_since = CASE
            WHEN excluded.seen_at IS NOT NULL THEN excluded.watched_at
            WHEN w.watched_at < excluded.watched_at - pg_catalog.make_interval(secs => $1) THEN excluded.watched_at
            ELSE w.quiet_since
        END,
        seen_at = coalesce(excluded.seen_at, w.seen_at),
        calls = excluded.calls,
        calls_since = CASE WHEN excluded.calls = w.calls THEN w.calls_since ELSE excluded.calls_since END,
        fenced_at = coalesce(excluded.fenced_at, w.fenced_at)
    RETURNING w.name AS name
)
SELECT o.name AS name, o.used AS used
FROM looked AS o
JOIN noted AS n ON n.name = o.name
ORDER BY o.name;
