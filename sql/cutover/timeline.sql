-- One row if the server says which timeline it is on; it refuses if it can't, and tokens have no floor then.
-- No parameters. Servers from 13 on, primaries only. Reads only.
SELECT pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()) AS segment;
