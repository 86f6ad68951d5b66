-- One row: slots that Amazon RDS keeps beyond PostgreSQL's own reserves; 0 on any other server.
-- No parameters. Any server from 13 on; the setting exists on RDS only.
SELECT COALESCE(
    NULLIF(pg_catalog.current_setting('rds.rds_superuser_reserved_connections', true), ''),
    '0'
)::int8 AS provider_reserved;
