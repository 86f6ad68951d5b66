
use builtin;
use str;

set edit:completion:arg-completer[lockaudit] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'lockaudit'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'lockaudit'= {
            cand -? 'Print help'
            cand --help 'Print help'
            cand -V 'Print the version'
            cand --version 'Print the version'
            cand scan 'Audit advisory locks now: who holds, who waits, which pool is starved, what to do next'
            cand keys 'Say whose key a lock has, or which key a name would give'
            cand release 'End one holder of an advisory lock, guarded: only if it is still what was shown'
            cand budget 'Check that all pools together fit the server, and that none can starve itself'
            cand explain 'Explain a rule: what it finds, how sure it is, what to do'
            cand lab 'Replay a known failure, live, on a throwaway server'
            cand schema 'Print the JSON Schema of a command''s `--format json`'
            cand completions 'Print shell completions'
            cand man 'Print the man page of a command'
        }
        &'lockaudit;scan'= {
            cand -h 'Server host or socket directory'
            cand --host 'Server host or socket directory'
            cand -p 'Server port'
            cand --port 'Server port'
            cand -U 'Role to connect as'
            cand --username 'Role to connect as'
            cand -d 'Database name, URI or conninfo string'
            cand --dbname 'Database name, URI or conninfo string'
            cand --set-role 'Look as this role (SET LOCAL ROLE in each sample)'
            cand --pgbouncer 'Ask the console of this PgBouncer too: who is behind each connection of its pools (URI or conninfo; its database is pgbouncer, a role of stats_users is enough; repeat for others, one console a process)'
            cand --samples 'Take this many samples: more than one proves scopes and shared backends'
            cand --interval 'Time between two samples'
            cand --input 'Judge a snapshot that --save wrote, or the CSV that psql made of --print-sql; `-` is stdin'
            cand --save 'Save what was seen, for --input (readable by the owner only; --query none keeps texts out)'
            cand --pool-size 'Connections in the pool of one instance of this application (repeat for others)'
            cand --budget 'The budget file, for the sizes of pools: see docs/budget.md'
            cand --idle-after 'An idle holder that nobody waits for is only a remark before this'
            cand --names 'Your names for locks, and how keys are made of them: see docs/names.md (repeat for others)'
            cand --expect 'Who is meant to hold which lock, in the same format (repeat for others)'
            cand --database 'Only locks of this database (repeat for others)'
            cand --include 'Only this rule (repeat for others)'
            cand --exclude 'All rules but this one (repeat for others)'
            cand --fail-on 'Exit with 1 from this severity on'
            cand -f 'How to show the result'
            cand --format 'How to show the result'
            cand -o 'Write the result to this file, whole or not at all'
            cand --output 'Write the result to this file, whole or not at all'
            cand --query 'How much of the sessions'' query texts to read and show'
            cand --color 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)'
            cand -w 'Never ask for a password (lockaudit never does)'
            cand --no-password 'Never ask for a password (lockaudit never does)'
            cand --print-sql 'Print the SQL for a machine where only psql runs, and leave'
            cand --strict 'Exit with 2 when something that bears on the verdict could not be seen'
            cand -? 'Print help'
            cand --help 'Print help'
        }
        &'lockaudit;keys'= {
            cand -? 'Print help'
            cand --help 'Print help'
            cand explain 'Explain a key: how it looks in pg_locks and in the log, how it is given back, who takes it'
            cand derive 'Show the keys that a name gives, under every scheme and for known tools'
            cand list 'List the tools that are known to take advisory locks, and their keys'
        }
        &'lockaudit;keys;explain'= {
            cand --database 'The name of the lock''s database (repeat for others): some keys are made of it'
            cand --name 'A name that the lock may have (repeat for others), tried under every scheme'
            cand --schema 'A schema that the tool may work in (repeat for others), beside public'
            cand --names 'Your names for locks: see docs/names.md'
            cand -f 'How to show the result'
            cand --format 'How to show the result'
            cand --color 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)'
            cand -? 'Print help'
            cand --help 'Print help'
        }
        &'lockaudit;keys;derive'= {
            cand --database 'The database''s name, for the tools that make their key of it'
            cand --seed 'The seed of hashtextextended'
            cand --namespace 'The first half of a pair whose second is the name''s hash'
            cand -f 'How to show the result'
            cand --format 'How to show the result'
            cand --color 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)'
            cand -? 'Print help'
            cand --help 'Print help'
        }
        &'lockaudit;keys;list'= {
            cand -f 'How to show the result'
            cand --format 'How to show the result'
            cand --color 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)'
            cand -? 'Print help'
            cand --help 'Print help'
        }
        &'lockaudit;release'= {
            cand -h 'Server host or socket directory'
            cand --host 'Server host or socket directory'
            cand -p 'Server port'
            cand --port 'Server port'
            cand -U 'Role to connect as'
            cand --username 'Role to connect as'
            cand -d 'Database name, URI or conninfo string'
            cand --dbname 'Database name, URI or conninfo string'
            cand --set-role 'Look as this role (SET LOCAL ROLE in each sample)'
            cand --pid 'The session that holds the key'
            cand --gid 'The prepared transaction that holds it: shows the way out, and ends nothing'
            cand --key 'The key: 42, -7,-42 (two integers), CLASSID/OBJID/OBJSUBID or [DATABASE,…] of a log line'
            cand --database 'The database of the lock, if it is not the connected one'
            cand --color 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)'
            cand -w 'Never ask for a password (lockaudit never does)'
            cand --no-password 'Never ask for a password (lockaudit never does)'
            cand -y 'Do not ask'
            cand --yes 'Do not ask'
            cand --dry-run 'Print the statement for psql, and do nothing'
            cand -? 'Print help'
            cand --help 'Print help'
        }
        &'lockaudit;budget'= {
            cand -? 'Print help'
            cand --help 'Print help'
            cand check 'Add up what all roles may open, and say whether the server has room for it'
            cand show 'Draw the budget as bars, without a deploy and during one'
            cand fit 'Say what would fit: the largest pools, the most nodes, the smallest max_connections'
            cand init 'Write a file to start from, with every key explained'
        }
        &'lockaudit;budget;check'= {
            cand --role 'A role, instead of a file: NAME:nodes=N,pool=N[,processes=N,overflow=N,extra=N] (repeat for others)'
            cand --overlap 'How often every instance exists during a deploy: 2, or "150%"'
            cand --max-connections 'max_connections of the server'
            cand --superuser-reserved 'superuser_reserved_connections of the server [default: 3]'
            cand --reserved 'reserved_connections of the server (PostgreSQL 16 and later) [default: 0]'
            cand --provider-reserved 'Slots that the provider keeps beyond those two [default: 0]'
            cand --min-free 'Slots that must stay free at the peak'
            cand -h 'Server host or socket directory'
            cand --host 'Server host or socket directory'
            cand -p 'Server port'
            cand --port 'Server port'
            cand -U 'Role to connect as'
            cand --username 'Role to connect as'
            cand -d 'Database name, URI or conninfo string'
            cand --dbname 'Database name, URI or conninfo string'
            cand --set-role 'Look as this role (SET LOCAL ROLE in each sample)'
            cand -f 'How to show the result'
            cand --format 'How to show the result'
            cand -o 'Write the result to this file, whole or not at all'
            cand --output 'Write the result to this file, whole or not at all'
            cand --color 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)'
            cand --live 'Read the server''s numbers, and compare the plan with who is connected'
            cand -w 'Never ask for a password (lockaudit never does)'
            cand --no-password 'Never ask for a password (lockaudit never does)'
            cand --strict 'Exit with 1 for warnings too'
            cand --exit-zero 'Exit with 0 whatever is found; 2 stays 2'
            cand -? 'Print help'
            cand --help 'Print help'
        }
        &'lockaudit;budget;show'= {
            cand --role 'A role, instead of a file: NAME:nodes=N,pool=N[,processes=N,overflow=N,extra=N] (repeat for others)'
            cand --overlap 'How often every instance exists during a deploy: 2, or "150%"'
            cand --max-connections 'max_connections of the server'
            cand --superuser-reserved 'superuser_reserved_connections of the server [default: 3]'
            cand --reserved 'reserved_connections of the server (PostgreSQL 16 and later) [default: 0]'
            cand --provider-reserved 'Slots that the provider keeps beyond those two [default: 0]'
            cand --min-free 'Slots that must stay free at the peak'
            cand -h 'Server host or socket directory'
            cand --host 'Server host or socket directory'
            cand -p 'Server port'
            cand --port 'Server port'
            cand -U 'Role to connect as'
            cand --username 'Role to connect as'
            cand -d 'Database name, URI or conninfo string'
            cand --dbname 'Database name, URI or conninfo string'
            cand --set-role 'Look as this role (SET LOCAL ROLE in each sample)'
            cand -f 'How to draw it'
            cand --format 'How to draw it'
            cand -o 'Write the result to this file, whole or not at all'
            cand --output 'Write the result to this file, whole or not at all'
            cand --color 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)'
            cand --live 'Read the server''s numbers, and compare the plan with who is connected'
            cand -w 'Never ask for a password (lockaudit never does)'
            cand --no-password 'Never ask for a password (lockaudit never does)'
            cand -? 'Print help'
            cand --help 'Print help'
        }
        &'lockaudit;budget;fit'= {
            cand --role 'A role, instead of a file: NAME:nodes=N,pool=N[,processes=N,overflow=N,extra=N] (repeat for others)'
            cand --overlap 'How often every instance exists during a deploy: 2, or "150%"'
            cand --max-connections 'max_connections of the server'
            cand --superuser-reserved 'superuser_reserved_connections of the server [default: 3]'
            cand --reserved 'reserved_connections of the server (PostgreSQL 16 and later) [default: 0]'
            cand --provider-reserved 'Slots that the provider keeps beyond those two [default: 0]'
            cand --min-free 'Slots that must stay free at the peak'
            cand -h 'Server host or socket directory'
            cand --host 'Server host or socket directory'
            cand -p 'Server port'
            cand --port 'Server port'
            cand -U 'Role to connect as'
            cand --username 'Role to connect as'
            cand -d 'Database name, URI or conninfo string'
            cand --dbname 'Database name, URI or conninfo string'
            cand --set-role 'Look as this role (SET LOCAL ROLE in each sample)'
            cand --of 'Only what this role may have (repeat for others)'
            cand -o 'Write the result to this file, whole or not at all'
            cand --output 'Write the result to this file, whole or not at all'
            cand --color 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)'
            cand --live 'Read the server''s numbers, and compare the plan with who is connected'
            cand -w 'Never ask for a password (lockaudit never does)'
            cand --no-password 'Never ask for a password (lockaudit never does)'
            cand -? 'Print help'
            cand --help 'Print help'
        }
        &'lockaudit;budget;init'= {
            cand -? 'Print help'
            cand --help 'Print help'
        }
        &'lockaudit;explain'= {
            cand -? 'Print help'
            cand --help 'Print help'
        }
        &'lockaudit;lab'= {
            cand -? 'Print help'
            cand --help 'Print help'
            cand list 'List the scenarios'
            cand run 'Run a scenario on a throwaway PostgreSQL, and the real scan on it'
        }
        &'lockaudit;lab;list'= {
            cand -? 'Print help'
            cand --help 'Print help'
        }
        &'lockaudit;lab;run'= {
            cand --color 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)'
            cand --keep 'Stop at the incident, leave the server up and print how to connect; Ctrl-C ends it'
            cand -? 'Print help'
            cand --help 'Print help'
        }
        &'lockaudit;schema'= {
            cand -? 'Print help'
            cand --help 'Print help'
        }
        &'lockaudit;completions'= {
            cand -? 'Print help'
            cand --help 'Print help'
        }
        &'lockaudit;man'= {
            cand -? 'Print help'
            cand --help 'Print help'
        }
    ]
    $completions[$command]
}
