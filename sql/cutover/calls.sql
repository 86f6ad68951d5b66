-- One row: how often statements of the connected database that take advisory locks exclusively were run since the
-- counters were last reset, and how many statements are hidden from our role.
-- $1 the table of leases: statements that name it are ours. Servers from 13 on, with pg_stat_statements: `public` stands
-- for the schema that it is in. Reads only. Keys are not told apart, since their numbers are not kept.
SELECT
    coalesce(sum(s.calls) FILTER (
        WHERE s.query ~* '(^|[^a-z_])pg_(try_)?advisory_(xact_)?lock([^a-z_]|$)'
            AND pg_catalog.strpos(s.query, $1) = 0
    ), 0)::bigint AS calls,
    count(*) FILTER (WHERE s.query = '<insufficient privilege>') AS hidden
FROM public.pg_stat_statements AS s
WHERE s.dbid = (SELECT d.oid FROM pg_catalog.pg_database AS d WHERE d.datname = pg_catalog.current_database());
