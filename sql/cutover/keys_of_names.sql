-- One row a name: its mode, and the old key that it came from, a bigint or a pair; neither where it came from none.
-- No parameters. Servers from 13 on. Reads only.
SELECT
    l.name AS name,
    l.mode AS mode,
    l.key AS key,
    l.key1 AS key1,
    l.key2 AS key2
FROM lockaudit_lease AS l
ORDER BY l.name;
