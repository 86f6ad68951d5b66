-- One row a name: whether this session holds its old key from now on, in share mode. It never waits.
-- $1 names, $2 keys, or NULLs, $3 and $4 the two integers of pairs, or NULLs: none that is held already, since each lock
-- would need an unlock of its own. Servers from 13 on. On a direct connection only: the locks are the session's.
SELECT
    n.name AS name,
    coalesce(
        pg_catalog.pg_try_advisory_lock_shared(n.key),
        pg_catalog.pg_try_advisory_lock_shared(n.key1, n.key2)
    ) AS held
FROM unnest($1, $2, $3, $4) AS n(name, key, key1, key2);
