-- One row, once the session holds the old key exclusively, as old code does; it waits for that.
-- $1 key, or NULL, $2 and $3 the two integers of a pair, or NULL. Servers from 13 on. On a direct connection only. Ask it
-- inside a transaction with a local lock_timeout: the lock is the session's, and stays when that is committed.
SELECT pg_catalog.pg_advisory_lock($1) IS NOT NULL OR pg_catalog.pg_advisory_lock($2, $3) IS NOT NULL AS held;
