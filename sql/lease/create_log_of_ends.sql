-- No row. Makes the index that lets each token of a name end once.
-- No parameters. Servers from 13 on.
CREATE UNIQUE INDEX IF NOT EXISTS lockaudit_lease_log_ended
    ON lockaudit_lease_log (name, token) WHERE event IN ('released', 'expired', 'broken');
