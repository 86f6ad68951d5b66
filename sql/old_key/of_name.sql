-- One row if the name is known: the old key that it came from, a bigint or a pair; neither where it came from none.
-- $1 name. Servers from 13 on. Reads only. A name keeps its key until its migration is finished.
SELECT
    l.key AS key,
    l.key1 AS key1,
    l.key2 AS key2
FROM lockaudit_lease AS l
WHERE l.name = $1;
