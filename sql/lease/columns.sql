-- One row a column of a table: what tells a table of leases from somebody else's of that name. None: there is no such table.
-- $1 the table's name as SQL. Servers from 13 on. Reads only.
SELECT
    a.attname AS name,
    pg_catalog.format_type(a.atttypid, NULL) AS type
FROM pg_catalog.pg_attribute AS a
WHERE a.attrelid = pg_catalog.to_regclass($1)
    AND a.attnum > 0
    AND NOT a.attisdropped
ORDER BY a.attnum;
