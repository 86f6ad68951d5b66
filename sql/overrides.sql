-- One row a setting that ALTER ROLE or ALTER DATABASE gave to a role (0: all) in a database (0: all).
-- No parameters. Any server from 13 on. Needs a lock on a shared catalog: fails when the lock table is full.
SELECT
    s.setrole AS setrole,
    s.setdatabase AS setdatabase,
    u.setting AS setting
FROM pg_catalog.pg_db_role_setting AS s, pg_catalog.unnest(s.setconfig) AS u (setting)
WHERE u.setting ~ '^(statement_timeout|lock_timeout|idle_in_transaction_session_timeout|idle_session_timeout|transaction_timeout)=';
