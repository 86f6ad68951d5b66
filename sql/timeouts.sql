-- One row: the time limits of this session, in seconds (0: off); NULL where a server has no such setting.
-- Ask before BEGIN: inside a sample three of them are our own. A setting prints as an interval reads.
-- No parameters. Any server from 13 on; idle_session_timeout and client_connection_check_interval
-- came with 14, transaction_timeout with 17.
SELECT
    EXTRACT(EPOCH FROM pg_catalog.current_setting('statement_timeout')::interval)::float8
        AS statement_timeout,
    EXTRACT(EPOCH FROM pg_catalog.current_setting('lock_timeout')::interval)::float8 AS lock_timeout,
    EXTRACT(EPOCH FROM pg_catalog.current_setting('idle_in_transaction_session_timeout')::interval)::float8
        AS idle_in_transaction_session_timeout,
    EXTRACT(EPOCH FROM pg_catalog.current_setting('idle_session_timeout', true)::interval)::float8
        AS idle_session_timeout,
    EXTRACT(EPOCH FROM pg_catalog.current_setting('transaction_timeout', true)::interval)::float8
        AS transaction_timeout,
    EXTRACT(EPOCH FROM pg_catalog.current_setting('client_connection_check_interval', true)::interval)::float8
        AS client_connection_check_interval;
