-- One row an event, the newest first: a grant, an end, a change of mode.
-- $1 name, or NULL for all, $2 how many at most. Servers from 13 on. Reads only.
SELECT
    g.at AS at,
    g.name AS name,
    g.token AS token,
    g.event AS event,
    g.holder AS holder,
    g.reason AS reason
FROM lockaudit_lease_log AS g
WHERE $1::text IS NULL OR g.name = $1
ORDER BY g.id DESC
LIMIT $2;
