-- One row: the connected database, whose keys a migration here is about.
-- No parameters. Servers from 13 on. Reads only.
SELECT pg_catalog.current_database() AS datname;
