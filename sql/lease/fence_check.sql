-- One row while the lease is this holder's, under this token, and has time left: then nobody else can take it
-- before the transaction that asks has ended. None: roll back.
-- $1 name, $2 holder, $3 token. Servers from 13 on. Ask it last before COMMIT, in the transaction of the work: it
-- keeps renewals waiting until then. FOR KEY SHARE would not keep a taker out. The clock is read when the row is locked.
WITH mine AS MATERIALIZED (
    SELECT l.expires_at AS expires_at
    FROM lockaudit_lease AS l
    WHERE l.name = $1 AND l.holder = $2 AND l.token = $3
    FOR SHARE
)
SELECT
    m.expires_at AS expires_at,
    extract(epoch FROM m.expires_at - pg_catalog.clock_timestamp())::float8 AS remaining_seconds
FROM mine AS m
WHERE m.expires_at > pg_catalog.clock_timestamp();
