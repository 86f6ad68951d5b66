-- One row: how many events were deleted. The last grant of each name stays, and so do changes of mode, which are few
-- and prove a migration, and all rows of leases: a lost token could be granted again.
-- $1 age in seconds: younger events stay. Servers from 13 on, primaries only.
WITH deleted AS (
    DELETE FROM lockaudit_lease_log AS g
    WHERE g.at < pg_catalog.clock_timestamp() - pg_catalog.make_interval(secs => $1)
        AND g.event <> 'mode'
        AND NOT EXISTS (
            SELECT 1 FROM lockaudit_lease AS l WHERE l.name = g.name AND l.token = g.token
        )
    RETURNING g.id
)
SELECT count(*) AS events
FROM deleted AS d;
