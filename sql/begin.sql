-- Opens one sample: a short read-only transaction whose limits end with it, so that a pooled
-- connection is given back as it was. No rows; no parameters; simple protocol.
-- Any server from 13 on.
BEGIN READ ONLY;
SET LOCAL statement_timeout = '5s';
SET LOCAL lock_timeout = '50ms';
SET LOCAL idle_in_transaction_session_timeout = '10s';
SET LOCAL search_path = pg_catalog;
SET LOCAL work_mem = '16MB';
