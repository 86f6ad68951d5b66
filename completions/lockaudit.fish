# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_lockaudit_global_optspecs
    string join \n ?/help V/version
end

function __fish_lockaudit_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_lockaudit_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_lockaudit_using_subcommand
    set -l cmd (__fish_lockaudit_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c lockaudit -n "__fish_lockaudit_needs_command" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_needs_command" -s V -l version -d 'Print the version'
complete -c lockaudit -n "__fish_lockaudit_needs_command" -f -a "scan" -d 'Audit advisory locks now: who holds, who waits, which pool is starved, what to do next'
complete -c lockaudit -n "__fish_lockaudit_needs_command" -f -a "keys" -d 'Say whose key a lock has, or which key a name would give'
complete -c lockaudit -n "__fish_lockaudit_needs_command" -f -a "release" -d 'End one holder of an advisory lock, guarded: only if it is still what was shown'
complete -c lockaudit -n "__fish_lockaudit_needs_command" -f -a "budget" -d 'Check that all pools together fit the server, and that none can starve itself'
complete -c lockaudit -n "__fish_lockaudit_needs_command" -f -a "lease" -d 'Work under leases: rows that hold no connection, in the place of advisory locks'
complete -c lockaudit -n "__fish_lockaudit_needs_command" -f -a "migrate" -d 'Move from advisory keys to lease rows, step by step'
complete -c lockaudit -n "__fish_lockaudit_needs_command" -f -a "explain" -d 'Explain a rule: what it finds, how sure it is, what to do'
complete -c lockaudit -n "__fish_lockaudit_needs_command" -f -a "lab" -d 'Replay a known failure, live, on a throwaway server'
complete -c lockaudit -n "__fish_lockaudit_needs_command" -f -a "schema" -d 'Print the JSON Schema of a command\'s `--format json`'
complete -c lockaudit -n "__fish_lockaudit_needs_command" -f -a "completions" -d 'Print shell completions'
complete -c lockaudit -n "__fish_lockaudit_needs_command" -f -a "man" -d 'Print the man page of a command'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l pgbouncer -d 'Ask the console of this PgBouncer too: who is behind each connection of its pools (URI or conninfo; its database is pgbouncer, a role of stats_users is enough; repeat for others, one console a process)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l samples -d 'Take this many samples: more than one proves scopes and shared backends' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l interval -d 'Time between two samples' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l input -d 'Judge a snapshot that --save wrote, or the CSV that psql made of --print-sql; `-` is stdin' -r -F
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l save -d 'Save what was seen, for --input (readable by the owner only; --query none keeps texts out)' -r -F
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l pool-size -d 'Connections in the pool of one instance of this application (repeat for others)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l budget -d 'The budget file, for the sizes of pools: see docs/budget.md' -r -F
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l idle-after -d 'An idle holder that nobody waits for is only a remark before this' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l names -d 'Your names for locks, and how keys are made of them: see docs/names.md (repeat for others)' -r -F
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l expect -d 'Who is meant to hold which lock, in the same format (repeat for others)' -r -F
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l database -d 'Only locks of this database (repeat for others)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l include -d 'Only this rule (repeat for others)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l exclude -d 'All rules but this one (repeat for others)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l fail-on -d 'Exit with 1 from this severity on' -r -f -a "info\t''
warning\t''
critical\t''"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -s f -l format -d 'How to show the result' -r -f -a "table\t'For people: the verdict first'
json\t'For programs: see `lockaudit schema`'
ndjson\t'For streams: the objects of the JSON document, one a line, each with its `type`'
csv\t'For spreadsheets: the advisory locks, held and waited for'
markdown\t'For an incident channel: verdict, findings, locks, pools'
dot\t'The wait graph, for Graphviz'
mermaid\t'The wait graph, for Mermaid'
html\t'For the post-mortem: one page that needs no network'"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -s o -l output -d 'Write the result to this file, whole or not at all' -r -F
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l query -d 'How much of the sessions\' query texts to read and show' -r -f -a "none\t'Not even read from the server'
short\t'The first 200 characters'
full\t''"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l color -d 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)' -r -f -a "auto\t''
always\t''
never\t''"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -s w -l no-password -d 'Never ask for a password (lockaudit never does)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l print-sql -d 'Print the SQL for a machine where only psql runs, and leave'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l strict -d 'Exit with 2 when something that bears on the verdict could not be seen'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand keys; and not __fish_seen_subcommand_from explain derive list" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand keys; and not __fish_seen_subcommand_from explain derive list" -f -a "explain" -d 'Explain a key: how it looks in pg_locks and in the log, how it is given back, who takes it'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand keys; and not __fish_seen_subcommand_from explain derive list" -f -a "derive" -d 'Show the keys that a name gives, under every scheme and for known tools'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand keys; and not __fish_seen_subcommand_from explain derive list" -f -a "list" -d 'List the tools that are known to take advisory locks, and their keys'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand keys; and __fish_seen_subcommand_from explain" -l database -d 'The name of the lock\'s database (repeat for others): some keys are made of it' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand keys; and __fish_seen_subcommand_from explain" -l name -d 'A name that the lock may have (repeat for others), tried under every scheme' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand keys; and __fish_seen_subcommand_from explain" -l schema -d 'A schema that the tool may work in (repeat for others), beside public' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand keys; and __fish_seen_subcommand_from explain" -l names -d 'Your names for locks: see docs/names.md' -r -F
complete -c lockaudit -n "__fish_lockaudit_using_subcommand keys; and __fish_seen_subcommand_from explain" -s f -l format -d 'How to show the result' -r -f -a "table\t'For people'
json\t'For programs: schema/keys.json'"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand keys; and __fish_seen_subcommand_from explain" -l color -d 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)' -r -f -a "auto\t''
always\t''
never\t''"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand keys; and __fish_seen_subcommand_from explain" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand keys; and __fish_seen_subcommand_from derive" -l database -d 'The database\'s name, for the tools that make their key of it' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand keys; and __fish_seen_subcommand_from derive" -l seed -d 'The seed of hashtextextended' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand keys; and __fish_seen_subcommand_from derive" -l namespace -d 'The first half of a pair whose second is the name\'s hash' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand keys; and __fish_seen_subcommand_from derive" -s f -l format -d 'How to show the result' -r -f -a "table\t'For people'
json\t'For programs: schema/keys.json'"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand keys; and __fish_seen_subcommand_from derive" -l color -d 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)' -r -f -a "auto\t''
always\t''
never\t''"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand keys; and __fish_seen_subcommand_from derive" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand keys; and __fish_seen_subcommand_from list" -s f -l format -d 'How to show the result' -r -f -a "table\t'For people'
json\t'For programs: schema/keys.json'"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand keys; and __fish_seen_subcommand_from list" -l color -d 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)' -r -f -a "auto\t''
always\t''
never\t''"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand keys; and __fish_seen_subcommand_from list" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand release" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand release" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand release" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand release" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand release" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand release" -l pid -d 'The session that holds the key' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand release" -l gid -d 'The prepared transaction that holds it: shows the way out, and ends nothing' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand release" -l key -d 'The key: 42, -7,-42 (two integers), CLASSID/OBJID/OBJSUBID or [DATABASE,…] of a log line' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand release" -l database -d 'The database of the lock, if it is not the connected one' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand release" -l color -d 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)' -r -f -a "auto\t''
always\t''
never\t''"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand release" -s w -l no-password -d 'Never ask for a password (lockaudit never does)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand release" -s y -l yes -d 'Do not ask'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand release" -l dry-run -d 'Print the statement for psql, and do nothing'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand release" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and not __fish_seen_subcommand_from check show fit init import" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and not __fish_seen_subcommand_from check show fit init import" -f -a "check" -d 'Add up what all roles may open, and say whether the server has room for it'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and not __fish_seen_subcommand_from check show fit init import" -f -a "show" -d 'Draw the budget as bars, without a deploy and during one'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and not __fish_seen_subcommand_from check show fit init import" -f -a "fit" -d 'Say what would fit: the largest pools, the most nodes, the smallest max_connections'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and not __fish_seen_subcommand_from check show fit init import" -f -a "init" -d 'Write a file to start from, with every key explained'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and not __fish_seen_subcommand_from check show fit init import" -f -a "import" -d 'Begin a file from Kubernetes manifests: a role for each pool that pods have'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from check" -l role -d 'A role, instead of a file: NAME:nodes=N,pool=N[,processes=N,overflow=N,extra=N] (repeat for others)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from check" -l overlap -d 'How often every instance exists during a deploy: 2, or "150%"' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from check" -l max-connections -d 'max_connections of the server' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from check" -l superuser-reserved -d 'superuser_reserved_connections of the server [default: 3]' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from check" -l reserved -d 'reserved_connections of the server (PostgreSQL 16 and later) [default: 0]' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from check" -l provider-reserved -d 'Slots that the provider keeps beyond those two [default: 0]' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from check" -l min-free -d 'Slots that must stay free at the peak' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from check" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from check" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from check" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from check" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from check" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from check" -s f -l format -d 'How to show the result' -r -f -a "text\t'For people'
json\t'For programs: schema/budget.json'
github\t'Annotations in a pull request'
junit\t'Test results, a case for each check'
sarif\t'For code scanning'
markdown\t'For a comment or a page'"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from check" -s o -l output -d 'Write the result to this file, whole or not at all' -r -F
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from check" -l color -d 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)' -r -f -a "auto\t''
always\t''
never\t''"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from check" -l live -d 'Read the server\'s numbers, and compare the plan with who is connected'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from check" -s w -l no-password -d 'Never ask for a password (lockaudit never does)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from check" -l strict -d 'Exit with 1 for warnings too'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from check" -l exit-zero -d 'Exit with 0 whatever is found; 2 stays 2'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from check" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from show" -l role -d 'A role, instead of a file: NAME:nodes=N,pool=N[,processes=N,overflow=N,extra=N] (repeat for others)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from show" -l overlap -d 'How often every instance exists during a deploy: 2, or "150%"' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from show" -l max-connections -d 'max_connections of the server' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from show" -l superuser-reserved -d 'superuser_reserved_connections of the server [default: 3]' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from show" -l reserved -d 'reserved_connections of the server (PostgreSQL 16 and later) [default: 0]' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from show" -l provider-reserved -d 'Slots that the provider keeps beyond those two [default: 0]' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from show" -l min-free -d 'Slots that must stay free at the peak' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from show" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from show" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from show" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from show" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from show" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from show" -s f -l format -d 'How to draw it' -r -f -a "text\t'For people'
svg\t'A picture'
html\t'A page that needs nothing else'"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from show" -s o -l output -d 'Write the result to this file, whole or not at all' -r -F
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from show" -l color -d 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)' -r -f -a "auto\t''
always\t''
never\t''"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from show" -l live -d 'Read the server\'s numbers, and compare the plan with who is connected'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from show" -s w -l no-password -d 'Never ask for a password (lockaudit never does)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from show" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from fit" -l role -d 'A role, instead of a file: NAME:nodes=N,pool=N[,processes=N,overflow=N,extra=N] (repeat for others)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from fit" -l overlap -d 'How often every instance exists during a deploy: 2, or "150%"' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from fit" -l max-connections -d 'max_connections of the server' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from fit" -l superuser-reserved -d 'superuser_reserved_connections of the server [default: 3]' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from fit" -l reserved -d 'reserved_connections of the server (PostgreSQL 16 and later) [default: 0]' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from fit" -l provider-reserved -d 'Slots that the provider keeps beyond those two [default: 0]' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from fit" -l min-free -d 'Slots that must stay free at the peak' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from fit" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from fit" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from fit" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from fit" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from fit" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from fit" -l of -d 'Only what this role may have (repeat for others)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from fit" -s o -l output -d 'Write the result to this file, whole or not at all' -r -F
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from fit" -l color -d 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)' -r -f -a "auto\t''
always\t''
never\t''"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from fit" -l live -d 'Read the server\'s numbers, and compare the plan with who is connected'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from fit" -s w -l no-password -d 'Never ask for a password (lockaudit never does)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from fit" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from init" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from import" -l pool-env -d 'The variable that has the size of a process\'s pool (repeat for others: the first counts that a container has); each container that has it becomes a role' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from import" -l overflow-env -d 'The variable that says what the pool may open beyond its size (SQLAlchemy\'s max_overflow)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from import" -l processes-env -d 'The variable that says how many processes a container runs; one where it is not set' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from import" -l pool -d 'The most that one process of a role opens, whatever its variables say: ROLE=N (repeat)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from import" -l skip -d 'A role that does not connect to this server (repeat)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from import" -l nodes -d 'Nodes of the cluster, for a DaemonSet' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from import" -l overlapping-runs -d 'Runs at the same moment of a CronJob whose concurrencyPolicy is Allow' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from import" -l deploy-every -d 'How soon a deploy may follow another: with the grace period it says how many overlap' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from import" -l max-connections -d 'max_connections of the server' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from import" -s o -l output -d 'Write to this file, whole or not at all; one that exists is left alone' -r -F
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from import" -l force -d 'Write anew a file that exists'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand budget; and __fish_seen_subcommand_from import" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and not __fish_seen_subcommand_from init run take renew release list check break history prune" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and not __fish_seen_subcommand_from init run take renew release list check break history prune" -f -a "init" -d 'Create the tables of leases, and print what a role needs to be granted'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and not __fish_seen_subcommand_from init run take renew release list check break history prune" -f -a "run" -d 'Run a command while a lease is held, and stop it when the lease is lost'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and not __fish_seen_subcommand_from init run take renew release list check break history prune" -f -a "take" -d 'Take a lease once, and print its holder, token and end'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and not __fish_seen_subcommand_from init run take renew release list check break history prune" -f -a "renew" -d 'Give a lease its time anew'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and not __fish_seen_subcommand_from init run take renew release list check break history prune" -f -a "release" -d 'Give a lease back'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and not __fish_seen_subcommand_from init run take renew release list check break history prune" -f -a "list" -d 'Show who has which lease, since when, and for how long still'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and not __fish_seen_subcommand_from init run take renew release list check break history prune" -f -a "check" -d 'Ask whether a lease is valid'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and not __fish_seen_subcommand_from init run take renew release list check break history prune" -f -a "break" -d 'Take a lease away from whoever has it; its token rises, so that they are refused everywhere'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and not __fish_seen_subcommand_from init run take renew release list check break history prune" -f -a "history" -d 'Show what happened to leases, the newest first'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and not __fish_seen_subcommand_from init run take renew release list check break history prune" -f -a "prune" -d 'Delete old events from the log; leases and the last grant of each name stay'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from init" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from init" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from init" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from init" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from init" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from init" -l table -d 'The table of leases: `table` or `schema.table`; its log is called the same with _log' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from init" -l role -d 'The role whose grants are printed' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from init" -s w -l no-password -d 'Never ask for a password (lockaudit never does)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from init" -l print-sql -d 'Print the SQL, and connect to nothing'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from init" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from run" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from run" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from run" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from run" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from run" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from run" -l table -d 'The table of leases: `table` or `schema.table`; its log is called the same with _log' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from run" -s w -l wait -d 'Wait this long at most; without it, for ever. Waiting is not fair: who looks first after the end gets it' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from run" -s E -l conflict-exit-code -d 'The exit status when somebody else has the lease' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from run" -l ttl -d 'How long the lease lasts unless it is renewed' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from run" -l renew -d 'How often it is renewed [default: a quarter of --ttl, 30s at most]' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from run" -l grace -d 'From SIGTERM to SIGKILL, when it could not be renewed [default: a twelfth of --ttl, 10s at most]' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from run" -l margin -d 'From SIGKILL to the end of the lease [default: a twenty-fourth of --ttl, 5s at most]' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from run" -l bridge -d 'How old code is kept out of a name in mode `both`, while it moves from its advisory key (`lockaudit migrate`)' -r -f -a "hold\t'Hold the key, shared, on a direct session of its own for as long as the command runs'
probe\t'Ask for the key once, as the lease is taken: only where old code looks for a lease once it has the key'"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from run" -l reason -d 'Why, for the log of leases, if not the command\'s name (its arguments may hold secrets)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from run" -s n -l no-wait -d 'Do not wait for a lease that somebody else has'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from run" -l no-password -d 'Never ask for a password (lockaudit never does)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from run" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from take" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from take" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from take" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from take" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from take" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from take" -l table -d 'The table of leases: `table` or `schema.table`; its log is called the same with _log' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from take" -l ttl -d 'How long it lasts unless it is renewed' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from take" -l holder -d 'Who takes it, if not a new HOST:PID:CHANCE; the same holder gets the same lease again' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from take" -l reason -d 'Why, for the log' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from take" -s f -l format -d 'How to show the lease' -r -f -a "text\t'For people: a sentence'
json\t'For programs: schema/lease.json'
sh\t'For a shell: lease=$(lockaudit lease take NAME -f sh) && eval "$lease", then `lease renew` and `lease release` need no more'"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from take" -s w -l no-password -d 'Never ask for a password (lockaudit never does)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from take" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from renew" -l holder -d 'The holder that `take` printed' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from renew" -l token -d 'The token that `take` printed' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from renew" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from renew" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from renew" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from renew" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from renew" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from renew" -l table -d 'The table of leases: `table` or `schema.table`; its log is called the same with _log' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from renew" -l ttl -d 'How long it lasts from now unless it is renewed' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from renew" -s f -l format -d 'How to show the lease' -r -f -a "text\t'For people: a sentence'
json\t'For programs: schema/lease.json'
sh\t'For a shell: lease=$(lockaudit lease take NAME -f sh) && eval "$lease", then `lease renew` and `lease release` need no more'"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from renew" -s w -l no-password -d 'Never ask for a password (lockaudit never does)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from renew" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from release" -l holder -d 'The holder that `take` printed' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from release" -l token -d 'The token that `take` printed' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from release" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from release" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from release" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from release" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from release" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from release" -l table -d 'The table of leases: `table` or `schema.table`; its log is called the same with _log' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from release" -l reason -d 'Why, for the log' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from release" -s w -l no-password -d 'Never ask for a password (lockaudit never does)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from release" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from list" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from list" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from list" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from list" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from list" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from list" -l table -d 'The table of leases: `table` or `schema.table`; its log is called the same with _log' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from list" -s f -l format -d 'How to show the result' -r -f -a "table\t'For people'
json\t'For programs: schema/lease.json'"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from list" -l color -d 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)' -r -f -a "auto\t''
always\t''
never\t''"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from list" -s w -l no-password -d 'Never ask for a password (lockaudit never does)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from list" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from check" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from check" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from check" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from check" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from check" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from check" -l table -d 'The table of leases: `table` or `schema.table`; its log is called the same with _log' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from check" -l holder -d 'Only if it is this holder\'s' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from check" -l token -d 'Only if it is under this token' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from check" -s f -l format -d 'How to show the lease' -r -f -a "text\t'For people: a sentence'
json\t'For programs: schema/lease.json'
sh\t'For a shell: lease=$(lockaudit lease take NAME -f sh) && eval "$lease", then `lease renew` and `lease release` need no more'"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from check" -s w -l no-password -d 'Never ask for a password (lockaudit never does)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from check" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from break" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from break" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from break" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from break" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from break" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from break" -l table -d 'The table of leases: `table` or `schema.table`; its log is called the same with _log' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from break" -l reason -d 'Why, for the log: whoever had it may still be at work' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from break" -s w -l no-password -d 'Never ask for a password (lockaudit never does)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from break" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from history" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from history" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from history" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from history" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from history" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from history" -l table -d 'The table of leases: `table` or `schema.table`; its log is called the same with _log' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from history" -l limit -d 'How many events at most' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from history" -s f -l format -d 'How to show the result' -r -f -a "table\t'For people'
json\t'For programs: schema/lease.json'"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from history" -l color -d 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)' -r -f -a "auto\t''
always\t''
never\t''"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from history" -s w -l no-password -d 'Never ask for a password (lockaudit never does)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from history" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from prune" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from prune" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from prune" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from prune" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from prune" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from prune" -l table -d 'The table of leases: `table` or `schema.table`; its log is called the same with _log' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from prune" -l older-than -d 'Younger events stay' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from prune" -s w -l no-password -d 'Never ask for a password (lockaudit never does)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lease; and __fish_seen_subcommand_from prune" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and not __fish_seen_subcommand_from plan apply status fence advance rollback finish" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and not __fish_seen_subcommand_from plan apply status fence advance rollback finish" -f -a "plan" -d 'Say of each key in use what is to become of it, and why; write that as a file to review'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and not __fish_seen_subcommand_from plan apply status fence advance rollback finish" -f -a "apply" -d 'Make the tables, and a row for each name under its old key: the migration begins'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and not __fish_seen_subcommand_from plan apply status fence advance rollback finish" -f -a "status" -d 'Say where each name stands, and which gates are open'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and not __fish_seen_subcommand_from plan apply status fence advance rollback finish" -f -a "fence" -d 'Hold the old keys, so that forgotten old code can\'t work and is seen'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and not __fish_seen_subcommand_from plan apply status fence advance rollback finish" -f -a "advance" -d 'Take a name one mode further, towards its lease, if the gates are open'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and not __fish_seen_subcommand_from plan apply status fence advance rollback finish" -f -a "rollback" -d 'Take a name one mode back, towards its old key, if the gates are open'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and not __fish_seen_subcommand_from plan apply status fence advance rollback finish" -f -a "finish" -d 'Forget the old keys, once every name has its lease alone'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from plan" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from plan" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from plan" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from plan" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from plan" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from plan" -l for -d 'Look for this long; without it, once' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from plan" -l every -d 'Time between two samples' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from plan" -l input -d 'A snapshot that `scan --save` wrote, or the CSV of `scan --print-sql` (repeat for others)' -r -F
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from plan" -l database -d 'Only keys of this database (repeat for others)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from plan" -l map -d 'What keys are called: [[name]] tables with name, key and perhaps database and ttl, as in migration.toml (repeat for others)' -r -F
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from plan" -l names -d 'Your names for locks, and how keys are made of them: see docs/names.md (repeat for others)' -r -F
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from plan" -s f -l format -d 'How to print the plan' -r -f -a "table\t'For people: the keys, then why'
json\t'For programs: see `lockaudit schema migrate`'"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from plan" -s o -l output -d 'Write the plan to this file for review, usually migration.toml; merge into it if it is there' -r -F
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from plan" -l emit -d 'Print the code of one key for its application instead: before, and under its lease' -r -f -a "go\t''
python\t''
java\t''
kotlin\t''
ruby\t''
typescript\t''
csharp\t''
rust\t''
elixir\t''
php\t''
sql\t''"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from plan" -l of -d 'The name in the plan that the code is of; without it, the only one that becomes a lease' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from plan" -l bridge -d 'What that code does about the old key in mode `both`, as the code itself explains' -r -f -a "hold\t''
probe\t''
none\t''"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from plan" -l table -d 'The table of leases in that code: `table` or `schema.table`' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from plan" -l color -d 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)' -r -f -a "auto\t''
always\t''
never\t''"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from plan" -s w -l no-password -d 'Never ask for a password (lockaudit never does)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from plan" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from apply" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from apply" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from apply" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from apply" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from apply" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from apply" -l file -d 'The reviewed plan; without it, migration.toml, unless only functions are asked for' -r -F
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from apply" -l table -d 'The table of leases: `table` or `schema.table`; its log is called the same with _log' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from apply" -s w -l no-password -d 'Never ask for a password (lockaudit never does)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from apply" -l dry-run -d 'Print the SQL for psql, and do nothing'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from apply" -l functions -d 'Also make SQL functions for applications: TABLE_take, _renew, _release and _check'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from apply" -l uninstall-functions -d 'Remove those functions, and do nothing else'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from apply" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from status" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from status" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from status" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from status" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from status" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from status" -l name -d 'Only this name' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from status" -l wait-for -d 'Wait until every name is ready for this mode' -r -f -a "advisory\t'The old key alone'
both\t'The lease, and the old key beside it'
lease\t'The lease alone'"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from status" -l timeout -d 'Give up after this long; 0s looks once' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from status" -l period -d 'The longest time between two runs of the work, or that one takes: old code must not have been seen for so long' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from status" -l table -d 'The table of leases: `table` or `schema.table`; its log is called the same with _log' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from status" -s f -l format -d 'How to print it' -r -f -a "table\t'For people: the keys, then why'
json\t'For programs: see `lockaudit schema migrate`'"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from status" -l color -d 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)' -r -f -a "auto\t''
always\t''
never\t''"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from status" -s w -l no-password -d 'Never ask for a password (lockaudit never does)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from status" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from fence" -l name -d 'The names; without, every one that is in mode `both` or `lease` and has an old key' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from fence" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from fence" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from fence" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from fence" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from fence" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from fence" -l for -d 'End after this long; without it, at a signal' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from fence" -l every -d 'Time between two rounds of trying and looking' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from fence" -l ttl -d 'How long the fence\'s own lease lasts once it is not renewed any more' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from fence" -l table -d 'The table of leases: `table` or `schema.table`; its log is called the same with _log' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from fence" -s f -l format -d 'How to print what happens, a line each' -r -f -a "text\t'For people'
ndjson\t'For programs: a JSON object a line; see `lockaudit schema migrate`'"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from fence" -s w -l no-password -d 'Never ask for a password (lockaudit never does)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from fence" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from advance" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from advance" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from advance" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from advance" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from advance" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from advance" -l to -d 'Only to this mode: then it may be asked for twice' -r -f -a "advisory\t'The old key alone'
both\t'The lease, and the old key beside it'
lease\t'The lease alone'"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from advance" -l force -d 'Go on though old code could not be looked for long enough; say why' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from advance" -l period -d 'The longest time between two runs of the work, or that one takes: old code must not have been seen for so long' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from advance" -l table -d 'The table of leases: `table` or `schema.table`; its log is called the same with _log' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from advance" -l color -d 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)' -r -f -a "auto\t''
always\t''
never\t''"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from advance" -s w -l no-password -d 'Never ask for a password (lockaudit never does)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from advance" -l all -d 'Every name that has an old key, each as far as its gates are open (name the server by -d or -h)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from advance" -l dry-run -d 'Show the gates, and do nothing'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from advance" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from rollback" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from rollback" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from rollback" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from rollback" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from rollback" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from rollback" -l to -d 'Only to this mode: then it may be asked for twice' -r -f -a "advisory\t'The old key alone'
both\t'The lease, and the old key beside it'
lease\t'The lease alone'"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from rollback" -l force -d 'Go on though old code could not be looked for long enough; say why' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from rollback" -l period -d 'The longest time between two runs of the work, or that one takes: old code must not have been seen for so long' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from rollback" -l table -d 'The table of leases: `table` or `schema.table`; its log is called the same with _log' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from rollback" -l color -d 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)' -r -f -a "auto\t''
always\t''
never\t''"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from rollback" -s w -l no-password -d 'Never ask for a password (lockaudit never does)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from rollback" -l all -d 'Every name that has an old key, each as far as its gates are open (name the server by -d or -h)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from rollback" -l dry-run -d 'Show the gates, and do nothing'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from rollback" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from finish" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from finish" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from finish" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from finish" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from finish" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from finish" -l file -d 'Keep a copy of this plan beside it, marked as finished: FILE.finished' -r -F
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from finish" -l period -d 'The longest time between two runs of the work, or that one takes: old code must not have been seen for so long' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from finish" -l table -d 'The table of leases: `table` or `schema.table`; its log is called the same with _log' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from finish" -s w -l no-password -d 'Never ask for a password (lockaudit never does)'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from finish" -l dry-run -d 'Show what stands in the way, and do nothing'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand migrate; and __fish_seen_subcommand_from finish" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand explain" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lab; and not __fish_seen_subcommand_from list run" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lab; and not __fish_seen_subcommand_from list run" -f -a "list" -d 'List the scenarios'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lab; and not __fish_seen_subcommand_from list run" -f -a "run" -d 'Run a scenario on a throwaway PostgreSQL, and the real scan on it'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lab; and __fish_seen_subcommand_from list" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lab; and __fish_seen_subcommand_from run" -l color -d 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)' -r -f -a "auto\t''
always\t''
never\t''"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lab; and __fish_seen_subcommand_from run" -l keep -d 'Stop at the incident, leave the server up and print how to connect; Ctrl-C ends it'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand lab; and __fish_seen_subcommand_from run" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand schema" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand completions" -s ? -l help -d 'Print help'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand man" -s ? -l help -d 'Print help'
