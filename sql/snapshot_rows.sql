-- Everything that one sample reads, for a machine where only psql runs. One row a catalog row, as JSON,
-- with the kind of row before it, the last of kind `end`; the CSV of it is what `lockaudit scan --input` takes:
--   psql -X --csv -f snapshot_rows.sql CONNECTION > rows.csv
-- No parameters. Any server from 13 on (columns that a server lacks are simply not in its JSON).
-- pg_locks is read once. The transaction is read-only and gives up after 5 seconds.
SELECT
    'timeouts' AS kind,
    pg_catalog.json_build_object(
        'statement_timeout', EXTRACT(EPOCH FROM pg_catalog.current_setting('statement_timeout')::interval),
        'lock_timeout', EXTRACT(EPOCH FROM pg_catalog.current_setting('lock_timeout')::interval),
        'idle_in_transaction_session_timeout',
        EXTRACT(EPOCH FROM pg_catalog.current_setting('idle_in_transaction_session_timeout')::interval),
        'idle_session_timeout',
        EXTRACT(EPOCH FROM pg_catalog.current_setting('idle_session_timeout', true)::interval),
        'transaction_timeout',
        EXTRACT(EPOCH FROM pg_catalog.current_setting('transaction_timeout', true)::interval),
        'client_connection_check_interval',
        EXTRACT(EPOCH FROM pg_catalog.current_setting('client_connection_check_interval', true)::interval)
    ) AS row;
BEGIN READ ONLY;
SET LOCAL statement_timeout = '5s';
SET LOCAL lock_timeout = '50ms';
SET LOCAL search_path = pg_catalog;
SET LOCAL timezone = 'UTC';
SET LOCAL datestyle = 'ISO';
WITH copy AS MATERIALIZED (
    SELECT l.* FROM pg_catalog.pg_locks AS l
    -- An advisory lock of our own process is of another client of a pooler: we take none.
    WHERE l.pid IS DISTINCT FROM pg_catalog.pg_backend_pid() OR l.locktype = 'advisory'
),
waited_for AS MATERIALIZED (
    SELECT
        ROW(
            w.locktype, w.database, w.relation, w.page, w.tuple, w.virtualxid, w.transactionid,
            w.classid, w.objid, w.objsubid
        )::text AS target
    FROM copy AS w
    WHERE NOT w.granted AND w.locktype <> 'advisory'
)
SELECT
    'server' AS kind,
    pg_catalog.json_build_object(
        'lockaudit_rows', 1,
        'captured_at', pg_catalog.clock_timestamp(),
        'server_version_num', pg_catalog.current_setting('server_version_num')::int4,
        'server_version', pg_catalog.current_setting('server_version'),
        'in_recovery', pg_catalog.pg_is_in_recovery(),
        'started_at', pg_catalog.pg_postmaster_start_time(),
        'pid', pg_catalog.pg_backend_pid(),
        'database', pg_catalog.current_database(),
        'role', current_user,
        'superuser', pg_catalog.current_setting('is_superuser') = 'on',
        'reads_all_stats', pg_catalog.pg_has_role(current_user, 'pg_read_all_stats', 'USAGE'),
        'max_connections', pg_catalog.current_setting('max_connections')::int8,
        'superuser_reserved_connections', pg_catalog.current_setting('superuser_reserved_connections')::int8,
        'reserved_connections', pg_catalog.current_setting('reserved_connections', true)::int8,
        'max_locks_per_transaction', pg_catalog.current_setting('max_locks_per_transaction')::int8,
        'max_prepared_transactions', pg_catalog.current_setting('max_prepared_transactions')::int8,
        'autovacuum_workers', COALESCE(
            pg_catalog.current_setting('autovacuum_worker_slots', true),
            pg_catalog.current_setting('autovacuum_max_workers')
        )::int8,
        'max_worker_processes', pg_catalog.current_setting('max_worker_processes')::int8,
        'max_wal_senders', pg_catalog.current_setting('max_wal_senders')::int8,
        'track_activities', pg_catalog.current_setting('track_activities') = 'on'
    ) AS row
UNION ALL
SELECT 'lock', pg_catalog.to_json(c)
FROM copy AS c
WHERE c.locktype = 'advisory'
    OR NOT c.granted
    OR (c.pid IS NULL AND c.locktype = 'transactionid')
    OR ROW(
        c.locktype, c.database, c.relation, c.page, c.tuple, c.virtualxid, c.transactionid,
        c.classid, c.objid, c.objsubid
    )::text IN (SELECT w.target FROM waited_for AS w)
UNION ALL
SELECT
    'session',
    pg_catalog.json_build_object(
        'pid', a.pid, 'datid', a.datid, 'datname', a.datname, 'usename', a.usename,
        'application_name', a.application_name, 'client_addr', pg_catalog.host(a.client_addr),
        'client_port', a.client_port, 'backend_type', a.backend_type,
        'backend_start', a.backend_start, 'xact_start', a.xact_start, 'query_start', a.query_start,
        'state_change', a.state_change, 'state', a.state, 'wait_event_type', a.wait_event_type,
        'wait_event', a.wait_event, 'leader_pid', a.leader_pid,
        'xmin_age', pg_catalog.age(a.backend_xmin), 'query', a.query,
        'masked', (a.query = '<insufficient privilege>' AND a.backend_start IS NULL)
    )
FROM pg_catalog.pg_stat_activity AS a
UNION ALL
SELECT
    'prepared',
    pg_catalog.json_build_object(
        'transaction', p.transaction, 'gid', p.gid, 'prepared_at', p.prepared, 'owner', p.owner,
        'database', d.oid
    )
FROM pg_catalog.pg_prepared_xacts AS p
JOIN pg_catalog.pg_database AS d ON d.datname = p.database
UNION ALL
SELECT
    'database',
    pg_catalog.json_build_object('oid', d.oid, 'datname', d.datname, 'datconnlimit', d.datconnlimit)
FROM pg_catalog.pg_database AS d
UNION ALL
SELECT
    'override',
    pg_catalog.json_build_object(
        'role', CASE WHEN s.setrole <> 0 THEN pg_catalog.pg_get_userbyid(s.setrole) END,
        'database', (SELECT d.datname FROM pg_catalog.pg_database AS d WHERE d.oid = s.setdatabase),
        'setting', u.setting
    )
FROM pg_catalog.pg_db_role_setting AS s, pg_catalog.unnest(s.setconfig) AS u (setting)
WHERE u.setting ~ '^(statement_timeout|lock_timeout|idle_in_transaction_session_timeout|idle_session_timeout|transaction_timeout)='
UNION ALL
SELECT
    'relation',
    pg_catalog.json_build_object(
        'database', d.oid, 'oid', r.oid, 'name', pg_catalog.format('%I.%I', n.nspname, r.relname)
    )
FROM pg_catalog.pg_class AS r
JOIN pg_catalog.pg_namespace AS n ON n.oid = r.relnamespace
JOIN pg_catalog.pg_database AS d ON d.datname = pg_catalog.current_database()
WHERE r.oid IN (SELECT w.relation FROM copy AS w WHERE NOT w.granted AND w.database = d.oid)
UNION ALL
SELECT 'end', pg_catalog.json_build_object('lockaudit_rows', 1);
COMMIT;
