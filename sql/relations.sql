-- One row a relation of the connected database that a wait has to do with: its qualified name.
-- $1 oid[]: the relations. Any server from 13 on.
SELECT
    c.oid AS oid,
    pg_catalog.format('%I.%I', n.nspname, c.relname) AS name
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.oid = ANY ($1);
