-- One row: the settings that bound connections and the lock table; NULL where a server has no such setting.
-- No parameters. Any server from 13 on; reserved_connections came with 16, autovacuum_worker_slots with 18.
SELECT
    pg_catalog.current_setting('max_connections')::int8 AS max_connections,
    pg_catalog.current_setting('superuser_reserved_connections')::int8 AS superuser_reserved_connections,
    pg_catalog.current_setting('reserved_connections', true)::int8 AS reserved_connections,
    pg_catalog.current_setting('max_locks_per_transaction')::int8 AS max_locks_per_transaction,
    pg_catalog.current_setting('max_prepared_transactions')::int8 AS max_prepared_transactions,
    COALESCE(
        pg_catalog.current_setting('autovacuum_worker_slots', true),
        pg_catalog.current_setting('autovacuum_max_workers')
    )::int8 AS autovacuum_workers,
    pg_catalog.current_setting('max_worker_processes')::int8 AS max_worker_processes,
    pg_catalog.current_setting('max_wal_senders')::int8 AS max_wal_senders,
    pg_catalog.current_setting('track_activities') = 'on' AS track_activities;
