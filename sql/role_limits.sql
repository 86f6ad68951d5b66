-- One row a role that may log in and has a CONNECTION LIMIT of its own: its name and the limit.
-- No parameters. Any server from 13 on. Needs a lock on a shared catalog: fails when the lock table is full.
SELECT
    r.rolname AS rolname,
    r.rolconnlimit AS rolconnlimit
FROM pg_catalog.pg_roles AS r
WHERE r.rolcanlogin
  AND r.rolconnlimit >= 0;
