-- One row, once the session holds the old key in share mode, which keeps old code out; it waits for that.
-- $1 key, or NULL, $2 and $3 the two integers of a pair, or NULL. Servers from 13 on. As lock.sql in all else.
SELECT pg_catalog.pg_advisory_lock_shared($1) IS NOT NULL OR pg_catalog.pg_advisory_lock_shared($2, $3) IS NOT NULL AS held;
