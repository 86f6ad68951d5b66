-- One row a prepared transaction of any database. The function form needs no lock on a shared catalog.
-- No parameters. Any server from 13 on.
SELECT
    p.transaction AS transaction,
    p.gid AS gid,
    p.prepared AS prepared,
    p.ownerid AS ownerid,
    p.dbid AS dbid
FROM pg_catalog.pg_prepared_xact() AS p;
