-- One row if the connected database has pg_stat_statements: the schema that it is in. None: calls are not counted.
-- No parameters. Servers from 13 on. Reads only.
SELECT n.nspname AS schema
FROM pg_catalog.pg_extension AS e
JOIN pg_catalog.pg_namespace AS n ON n.oid = e.extnamespace
WHERE e.extname = 'pg_stat_statements';
