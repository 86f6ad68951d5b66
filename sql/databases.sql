-- One row a database: its name and its connection limit (-1: none).
-- No parameters. Any server from 13 on. Needs a lock on a shared catalog: fails when the lock table is full.
SELECT
    d.oid AS oid,
    d.datname AS datname,
    d.datconnlimit AS datconnlimit
FROM pg_catalog.pg_database AS d;
