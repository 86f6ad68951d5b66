-- One row: whether our role, or the one we look as, sees the sessions of all others.
-- No parameters. Any server from 13 on. Needs locks on shared catalogs: fails when the lock table is full.
SELECT pg_catalog.pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS reads_all_stats;
