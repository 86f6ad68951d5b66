-- One row if the name was not there: it is now, under its old key, in mode `advisory`. None: it was there, and was left
-- as it is; keys_of_names.sql tells how.
-- $1 name, $2 key, or NULL, $3 and $4 the two integers of a pair, or NULL, $5 who. Servers from 13 on, primaries only.
WITH seeded AS (
    INSERT INTO lockaudit_lease AS l (name, mode, key, key1, key2)
    VALUES ($1, 'advisory', $2, $3, $4)
    ON CONFLICT (name) DO NOTHING
    RETURNING l.name AS name, l.token AS token
), logged AS (
    INSERT INTO lockaudit_lease_log (name, token, event, holder, reason)
    SELECT s.name, s.token, 'mode', $5, 'seeded: advisory'
    FROM seeded AS s
)
SELECT s.name AS name
FROM seeded AS s;
