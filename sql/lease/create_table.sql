-- No row. Makes the table of leases: one row a name, kept for ever, since its token must never fall.
-- No parameters. Servers from 13 on. Beside the primary key there is no index on purpose: with none on
-- expires_at every renewal is a HOT update, in the room that fillfactor leaves; a truncating vacuum would
-- lock out all renewals. The table is logged: an unlogged one is empty after a crash.
CREATE TABLE IF NOT EXISTS lockaudit_lease (
    name text PRIMARY KEY CHECK (pg_catalog.octet_length(name) BETWEEN 1 AND 255),
    holder text CHECK (pg_catalog.octet_length(holder) BETWEEN 1 AND 255),
    token bigint NOT NULL DEFAULT 0,
    taken_at timestamptz,
    ttl interval,
    expires_at timestamptz NOT NULL DEFAULT '-infinity',
    mode text NOT NULL DEFAULT 'lease' CHECK (mode IN ('advisory', 'both', 'lease')),
    key bigint,
    key1 integer,
    key2 integer,
    bridged boolean NOT NULL DEFAULT false,
    CHECK ((key1 IS NULL) = (key2 IS NULL) AND (key IS NULL OR key1 IS NULL)),
    CHECK (mode = 'lease' OR key IS NOT NULL OR key1 IS NOT NULL)
) WITH (fillfactor = 50, vacuum_truncate = off);
