-- One row a name: whether this session held its old key, in share mode, which it has given back.
-- $1 names, $2 keys, or NULLs, $3 and $4 the two integers of pairs, or NULLs. Servers from 13 on.
SELECT
    n.name AS name,
    coalesce(
        pg_catalog.pg_advisory_unlock_shared(n.key),
        pg_catalog.pg_advisory_unlock_shared(n.key1, n.key2)
    ) AS held
FROM unnest($1, $2, $3, $4) AS n(name, key, key1, key2);
