-- One row if the name is known: the mode that it had, what each gate was, and whether it went from $2 to $3. It did if
-- it was in $2 and no gate was shut; else nothing was done.
-- $1 name, $2 from which mode, $3 to which, $4 who, $5 why. Servers from 13 on, primaries only. One statement, at READ
-- COMMITTED, also through a transaction-mode pooler.
--
-- The row's lock is the one that take.sql waits for, and take.sql compares the mode again once it has it: a lease is
-- taken before this, and seen here, or after it, and under the new mode. The old key is asked for, shared, until
-- the change is committed: that is refused while somebody has it, or waits for it, exclusively. Whoever then gets
-- it looks at the mode and finds the new one. The clock is read when the row is locked.
WITH locked AS MATERIALIZED (
    SELECT
        l.name AS name,
        l.token AS token,
        l.mode AS mode,
        l.key AS key,
        l.key1 AS key1,
        l.key2 AS key2,
        l.holder AS holder,
        l.expires_at AS expires_at,
        l.bridged AS bridged
    FROM lockaudit_lease AS l
    WHERE l.name = $1
    FOR NO KEY UPDATE
), gated AS MATERIALIZED (
    SELECT
        k.name AS name,
        k.token AS token,
        k.mode AS mode,
        k.key IS NOT NULL OR k.key1 IS NOT NULL AS key_known,
        CASE
            WHEN k.mode <> $2 OR k.mode <> 'both' OR $3 <> 'lease' THEN true
            WHEN k.key IS NOT NULL THEN pg_catalog.pg_try_advisory_xact_lock_shared(k.key)
            ELSE pg_catalog.pg_try_advisory_xact_lock_shared(k.key1, k.key2)
        END AS key_free,
        k.bridged OR k.holder IS NULL OR k.expires_at <= pg_catalog.clock_timestamp() OR k.mode <> 'both' AS bridged,
        pg_catalog.set_config('synchronous_commit', CASE pg_catalog.current_setting('synchronous_commit')
            WHEN 'off' THEN 'on' WHEN 'local' THEN 'on'
            ELSE pg_catalog.current_setting('synchronous_commit') END, true) AS durable
    FROM locked AS k
), moved AS (
    UPDATE lockaudit_lease AS l SET mode = $3
    FROM gated AS g
    WHERE l.name = g.name
        AND g.mode = $2
        AND $3 = ANY (CASE $2
            WHEN 'advisory' THEN ARRAY['both'] WHEN 'both' THEN ARRAY['lease', 'advisory'] WHEN 'lease' THEN ARRAY['both']
        END)
        AND g.key_known
        AND g.key_free
        AND g.bridged
    RETURNING l.name AS name, l.token AS token
), logged AS (
    INSERT INTO lockaudit_lease_log (name, token, event, holder, reason)
    SELECT m.name, m.token, 'mode', $4, $2 || ' to ' || $3 || coalesce(': ' || $5, '')
    FROM moved AS m
)
SELECT
    g.mode AS mode,
    g.key_known AS key_known,
    g.key_free AS key_free,
    g.bridged AS bridged,
    EXISTS (SELECT FROM moved AS m) AS moved
FROM gated AS g;
