-- One row: the schema that the table is in, or would be made in; NULL where the search_path leads nowhere.
-- $1 the table's name as SQL. Servers from 13 on. Reads only.
SELECT coalesce(
    (
        SELECT n.nspname
        FROM pg_catalog.pg_class AS c
        JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
        WHERE c.oid = pg_catalog.to_regclass($1)
    ),
    pg_catalog.current_schema()
) AS schema;
