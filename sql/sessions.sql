-- One row a backend. The function form needs no lock on a shared catalog, so it answers when the
-- lock table is full and pg_stat_activity does not.
-- $1 boolean: with the query texts. Any server from 13 on.
SELECT
    a.pid AS pid,
    a.datid AS datid,
    a.usesysid AS usesysid,
    a.application_name AS application_name,
    pg_catalog.host(a.client_addr) AS client_addr,
    a.client_port AS client_port,
    a.backend_type AS backend_type,
    a.backend_start AS backend_start,
    a.xact_start AS xact_start,
    a.query_start AS query_start,
    a.state_change AS state_change,
    a.state AS state,
    a.wait_event_type AS wait_event_type,
    a.wait_event AS wait_event,
    a.leader_pid AS leader_pid,
    pg_catalog.age(a.backend_xmin) AS xmin_age,
    CASE WHEN $1 THEN a.query END AS query,
    (a.query = '<insufficient privilege>' AND a.backend_start IS NULL) AS masked
FROM pg_catalog.pg_stat_get_activity(NULL) AS a;
