-- One row: the server's clock, read beside the locks, and our own process there: behind a pooler
-- each transaction may have another. No parameters. Any server from 13 on.
SELECT
    pg_catalog.clock_timestamp() AS captured_at,
    pg_catalog.pg_backend_pid() AS pid;
