-- No row. Makes the index that finds since when a name is in its mode.
-- No parameters. Servers from 13 on.
CREATE INDEX IF NOT EXISTS lockaudit_lease_log_modes
    ON lockaudit_lease_log (name, id) WHERE event = 'mode';
