-- One row: by which socket, in which process and under which name the server sees us. One statement
-- outside any transaction, since a pool of mode statement ends a server connection that begins one.
-- No parameters. Any server from 13 on.
SELECT
    pg_catalog.pg_backend_pid() AS pid,
    pg_catalog.inet_client_port() AS client_port,
    a.backend_start AS backend_start,
    a.application_name AS application_name,
    pg_catalog.clock_timestamp() AS now
FROM pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid()) AS a;
