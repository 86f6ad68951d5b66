-- One row: how many locks the server's lock table has places for, all sessions' and all kinds together.
-- No parameters. Servers from 13 on. Reads only.
SELECT pg_catalog.current_setting('max_locks_per_transaction')::int8 * (
    pg_catalog.current_setting('max_connections')::int8
    + pg_catalog.current_setting('max_prepared_transactions')::int8
) AS places;
