-- One row: the session holds no advisory lock any more.
-- No parameters. Servers from 13 on. Only for sessions that hold nothing but old keys.
SELECT pg_catalog.pg_advisory_unlock_all() IS NOT NULL AS freed;
