-- Looks as another role until the end of the transaction. One row.
-- $1 text: the role's name. Any server from 13 on.
SELECT pg_catalog.set_config('role', $1, true) AS role;
