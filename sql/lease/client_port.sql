-- One row: by which port the server sees us; NULL over a Unix socket. Another one than ours is a pooler's, where nobody
-- may LISTEN: the next client of its session would hear what was meant for us.
-- No parameters. Servers from 13 on. Reads only.
SELECT pg_catalog.inet_client_port() AS client_port;
