-- One row: the role whose session it is, and whether that is a superuser; no row when the session has
-- ended or is a background process of no role.
-- $1 int4: its pid. Any server from 13 on. Needs a lock on a shared catalog: fails when the lock table is full.
SELECT
    r.rolname AS rolname,
    r.rolsuper AS rolsuper
FROM pg_catalog.pg_stat_get_activity($1) AS a
JOIN pg_catalog.pg_roles AS r ON r.oid = a.usesysid;
