-- No row. Makes the table of what happened to leases: it is only ever added to, one row a grant and one an end.
-- No parameters. Servers from 13 on. The two indexes keep a token from being granted or ended twice.
CREATE TABLE IF NOT EXISTS lockaudit_lease_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    name text NOT NULL,
    token bigint NOT NULL,
    event text NOT NULL CHECK (event IN ('granted', 'released', 'expired', 'broken', 'mode')),
    holder text,
    reason text
);
