-- {{about}}
--
-- A script for psql, to try by hand, and to take the statements from for a language that has no snippet.

-- Before, in one session.
"{{lock}}";
-- The work.
"{{unlock}}";

-- After. A holder is new for every attempt to work; a token of 0 is never granted.
SELECT 'psql:' || pg_backend_pid() || ':' || left(replace(gen_random_uuid()::text, '-', ''), 16) AS holder \gset
\set token 0
\set mode none

-- Take it: no row, somebody else has it. The time of the lease counts from before this was sent.
"{{take.sql}}" \gset

SELECT :'mode' = 'both' AND "{{bridge}}" = 'hold' AS holds \gset
\if :holds
"{{hold}}";
"{{bridge.sql}}";
\endif

-- Renew it every quarter of its time, from another session than the work's: no row, the work must stop.
"{{renew.sql}}";

-- The work: last before COMMIT it asks for the fence. No row, it must roll back.
BEGIN;
"{{fence_check.sql}}";
COMMIT;

-- Give it back, once the work has ended.
"{{release.sql}}";
