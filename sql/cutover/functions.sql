-- One row a function of these names in a schema: what identifies it, and its comment, by which ours are known.
-- $1 the schema's name, $2 the functions' names. Servers from 13 on. Reads only.
SELECT
    p.proname AS name,
    pg_catalog.pg_get_function_identity_arguments(p.oid) AS arguments,
    pg_catalog.obj_description(p.oid, 'pg_proc') AS comment
FROM pg_catalog.pg_proc AS p
JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
WHERE n.nspname = $1 AND p.proname = ANY ($2)
ORDER BY p.proname, p.oid;
