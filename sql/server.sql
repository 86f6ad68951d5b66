-- One row: which server this is, and as whom we look.
-- No parameters. Any server from 13 on. The role comes from settings: current_user looks in a
-- shared catalog, which a session that has not done so before can't when the lock table is full.
SELECT
    pg_catalog.current_setting('server_version_num')::int4 AS version_num,
    pg_catalog.current_setting('server_version') AS version,
    pg_catalog.pg_is_in_recovery() AS in_recovery,
    pg_catalog.pg_postmaster_start_time() AS started_at,
    pg_catalog.pg_backend_pid() AS pid,
    pg_catalog.current_database()::text AS database,
    COALESCE(
        NULLIF(pg_catalog.current_setting('role'), 'none'),
        pg_catalog.current_setting('session_authorization')
    ) AS role,
    pg_catalog.current_setting('is_superuser') = 'on' AS superuser;
