-- One row without meaning. Tells those who listen that a lease was given back, by its name.
-- $1 name. Servers from 13 on, primaries only. Ask it after release.sql, not with it.
SELECT pg_catalog.pg_notify('lockaudit_lease', $1) IS NULL AS told;
