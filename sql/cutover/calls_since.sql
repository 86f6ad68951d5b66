-- One row: how long ago the counters of pg_stat_statements were reset.
-- No parameters. Servers from 14 on, with pg_stat_statements 1.9: `public` stands for the schema that it is in. Reads only.
-- (Servers from 13 on have the extension, but not this view.)
SELECT extract(epoch FROM pg_catalog.clock_timestamp() - i.stats_reset)::float8 AS counted_seconds
FROM public.pg_stat_statements_info AS i;
