-- No row. Makes the table of what was seen of old code: one row a name, while its migration lasts.
-- No parameters. Servers from 13 on. Apart from the leases, whose rows are to stay narrow and seldom written.
CREATE TABLE IF NOT EXISTS lockaudit_lease_watch (
    name text PRIMARY KEY,
    watched_at timestamptz NOT NULL,
    quiet_since timestamptz NOT NULL,
    seen_at timestamptz,
    calls bigint,
    calls_since timestamptz,
    fenced_at timestamptz
);
