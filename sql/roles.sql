-- One row a role: its name. No parameters. Any server from 13 on.
-- Needs a lock on a shared catalog: fails when the lock table is full.
SELECT
    r.oid AS oid,
    r.rolname AS rolname
FROM pg_catalog.pg_roles AS r;
