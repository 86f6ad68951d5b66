-- No row. Makes the index that lets each token of a name be granted once.
-- No parameters. Servers from 13 on.
CREATE UNIQUE INDEX IF NOT EXISTS lockaudit_lease_log_granted
    ON lockaudit_lease_log (name, token) WHERE event = 'granted';
