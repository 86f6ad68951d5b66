-- No row. Removes the table of what was seen of old code: nobody looks for it once the last old key is forgotten.
-- No parameters. Servers from 13 on.
DROP TABLE IF EXISTS lockaudit_lease_watch;
