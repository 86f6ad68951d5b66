-- One row if the lease is granted: its token, its end, how long that is from now. None if it is not: somebody
-- else has it, or the name is in a mode of the migration that this caller is not made for.
-- $1 name, $2 holder: new for every attempt to work, $3 seconds to live, $4 what the caller does in mode `both`:
-- `none`, `hold` (takes the old key, shared, afterwards), `probe` (asks for it here), $5 why, or the command.
-- Servers from 13 on, primaries only. One statement, at READ COMMITTED, also through a transaction-mode pooler.
--
-- The row that exists is inserted with its key, though it conflicts: the table's checks come first.
-- Whoever loses reads one row and writes nothing. DO UPDATE locks the row before its WHERE and SET are worked out,
-- so clock_timestamp() is read after any wait; now() and EXCLUDED would be from before it. The same holder gets the
-- same token again while its lease lasts, so a lost answer may be asked for again; else the token rises, above
-- the floor of this timeline, which a standby that missed grants is promoted to. Durable, whatever the session's
-- synchronous_commit is: a grant that a crash forgets is granted again.
WITH seen AS (
    SELECT
        l.holder AS holder,
        l.token AS token,
        l.mode AS mode,
        l.holder IS NULL OR l.holder = $2 OR l.expires_at <= pg_catalog.clock_timestamp() AS free,
        l.key AS key,
        l.key1 AS key1,
        l.key2 AS key2
    FROM lockaudit_lease AS l
    WHERE l.name = $1
), timeline AS (
    SELECT ('x' || pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8))
        ::pg_catalog.bit(32)::bigint << 40 AS floor
), open AS MATERIALIZED (
    SELECT
        s.holder AS holder,
        s.token AS token,
        coalesce(s.mode, 'lease') AS mode,
        t.floor AS floor,
        s.key AS key,
        s.key1 AS key1,
        s.key2 AS key2,
        pg_catalog.set_config('synchronous_commit', CASE pg_catalog.current_setting('synchronous_commit')
            WHEN 'off' THEN 'on' WHEN 'local' THEN 'on'
            ELSE pg_catalog.current_setting('synchronous_commit') END, true) AS durable
    FROM timeline AS t
    LEFT JOIN seen AS s ON true
    WHERE CASE
        WHEN NOT coalesce(s.free, true) THEN false
        WHEN coalesce(s.mode, 'lease') = 'lease' THEN true
        WHEN s.mode <> 'both' THEN false
        WHEN $4 = 'hold' THEN true
        WHEN $4 <> 'probe' THEN false
        WHEN s.key IS NOT NULL THEN pg_catalog.pg_try_advisory_xact_lock_shared(s.key)
        ELSE pg_catalog.pg_try_advisory_xact_lock_shared(s.key1, s.key2)
    END
), granted AS (
    INSERT INTO lockaudit_lease AS l (
        name, holder, token, taken_at, ttl, expires_at, mode, bridged, key, key1, key2
    )
    SELECT
        $1,
        $2,
        o.floor + 1,
        c.at,
        pg_catalog.make_interval(secs => $3),
        c.at + pg_catalog.make_interval(secs => $3),
        o.mode,
        o.mode = 'both' AND $4 = 'probe',
        o.key,
        o.key1,
        o.key2
    FROM open AS o
    CROSS JOIN (SELECT pg_catalog.clock_timestamp() AS at) AS c
    ON CONFLICT (name) DO UPDATE SET
        (holder, token, taken_at, ttl, expires_at, bridged) = (
            SELECT
                excluded.holder,
                CASE WHEN c.same THEN l.token ELSE greatest(l.token + 1, excluded.token) END,
                CASE WHEN c.same THEN l.taken_at ELSE c.at END,
                excluded.ttl,
                c.at + excluded.ttl,
                CASE WHEN c.same THEN l.bridged ELSE excluded.bridged END
            FROM (
                SELECT n.at AS at, l.holder = excluded.holder AND l.expires_at > n.at AS same
                FROM (SELECT pg_catalog.clock_timestamp() AS at) AS n
            ) AS c
        )
    WHERE l.mode = excluded.mode
        AND (l.holder IS NULL OR l.holder = excluded.holder OR l.expires_at <= pg_catalog.clock_timestamp())
    RETURNING l.token AS token, l.taken_at AS taken_at, l.expires_at AS expires_at, l.mode AS mode, l.bridged AS bridged
), logged AS (
    INSERT INTO lockaudit_lease_log (at, name, token, event, holder, reason)
    SELECT g.taken_at, $1, o.token, 'expired', o.holder, NULL::text
    FROM granted AS g
    CROSS JOIN open AS o
    WHERE o.holder IS NOT NULL AND g.token = greatest(o.token, o.floor) + 1
    UNION ALL
    SELECT g.taken_at, $1, g.token, 'granted', $2, $5
    FROM granted AS g
    ON CONFLICT DO NOTHING
)
SELECT
    g.token AS token,
    g.expires_at AS expires_at,
    extract(epoch FROM g.expires_at - pg_catalog.clock_timestamp())::float8 AS remaining_seconds,
    g.mode AS mode,
    g.bridged AS bridged
FROM granted AS g;
