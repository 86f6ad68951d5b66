-- One row: the server process that this statement runs in. On a direct connection it is the one that the login named.
-- No parameters. Servers from 13 on. Reads only.
SELECT pg_catalog.pg_backend_pid() AS pid;
