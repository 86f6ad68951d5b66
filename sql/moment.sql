-- One row: the server's clock, read beside the locks. No parameters. Any server from 13 on.
SELECT pg_catalog.clock_timestamp() AS captured_at;
