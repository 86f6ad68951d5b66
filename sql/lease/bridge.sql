-- One row if the lease is this holder's, under this token, and has time left: from now on it is known to be bridged.
-- None: it is lost for certain.
-- $1 name, $2 holder, $3 token. Servers from 13 on, primaries only. Ask it once the old key is held, shared, by a
-- session that lasts as long as the lease. The row is locked first and judged afterwards, as in renew.sql.
WITH mine AS MATERIALIZED (
    SELECT l.name AS name, l.expires_at AS expires_at
    FROM lockaudit_lease AS l
    WHERE l.name = $1 AND l.holder = $2 AND l.token = $3
    FOR NO KEY UPDATE
)
UPDATE lockaudit_lease AS l SET bridged = true
FROM mine AS m
WHERE l.name = m.name AND m.expires_at > pg_catalog.clock_timestamp()
RETURNING l.bridged AS bridged;
