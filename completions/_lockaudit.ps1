
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'lockaudit' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'lockaudit'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'lockaudit' {
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print the version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print the version')
            [CompletionResult]::new('scan', 'scan', [CompletionResultType]::ParameterValue, 'Audit advisory locks now: who holds, who waits, which pool is starved, what to do next')
            [CompletionResult]::new('keys', 'keys', [CompletionResultType]::ParameterValue, 'Say whose key a lock has, or which key a name would give')
            [CompletionResult]::new('release', 'release', [CompletionResultType]::ParameterValue, 'End one holder of an advisory lock, guarded: only if it is still what was shown')
            [CompletionResult]::new('budget', 'budget', [CompletionResultType]::ParameterValue, 'Check that all pools together fit the server, and that none can starve itself')
            [CompletionResult]::new('lease', 'lease', [CompletionResultType]::ParameterValue, 'Work under leases: rows that hold no connection, in the place of advisory locks')
            [CompletionResult]::new('migrate', 'migrate', [CompletionResultType]::ParameterValue, 'Move from advisory keys to lease rows, step by step')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Explain a rule: what it finds, how sure it is, what to do')
            [CompletionResult]::new('lab', 'lab', [CompletionResultType]::ParameterValue, 'Replay a known failure, live, on a throwaway server')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON Schema of a command''s `--format json`')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print shell completions')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the man page of a command')
            break
        }
        'lockaudit;scan' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('--username', '--username', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--dbname', '--dbname', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--set-role', '--set-role', [CompletionResultType]::ParameterName, 'Look as this role (SET LOCAL ROLE in each sample)')
            [CompletionResult]::new('--pgbouncer', '--pgbouncer', [CompletionResultType]::ParameterName, 'Ask the console of this PgBouncer too: who is behind each connection of its pools (URI or conninfo; its database is pgbouncer, a role of stats_users is enough; repeat for others, one console a process)')
            [CompletionResult]::new('--samples', '--samples', [CompletionResultType]::ParameterName, 'Take this many samples: more than one proves scopes and shared backends')
            [CompletionResult]::new('--interval', '--interval', [CompletionResultType]::ParameterName, 'Time between two samples')
            [CompletionResult]::new('--input', '--input', [CompletionResultType]::ParameterName, 'Judge a snapshot that --save wrote, or the CSV that psql made of --print-sql; `-` is stdin')
            [CompletionResult]::new('--save', '--save', [CompletionResultType]::ParameterName, 'Save what was seen, for --input (readable by the owner only; --query none keeps texts out)')
            [CompletionResult]::new('--pool-size', '--pool-size', [CompletionResultType]::ParameterName, 'Connections in the pool of one instance of this application (repeat for others)')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'The budget file, for the sizes of pools: see docs/budget.md')
            [CompletionResult]::new('--idle-after', '--idle-after', [CompletionResultType]::ParameterName, 'An idle holder that nobody waits for is only a remark before this')
            [CompletionResult]::new('--names', '--names', [CompletionResultType]::ParameterName, 'Your names for locks, and how keys are made of them: see docs/names.md (repeat for others)')
            [CompletionResult]::new('--expect', '--expect', [CompletionResultType]::ParameterName, 'Who is meant to hold which lock, in the same format (repeat for others)')
            [CompletionResult]::new('--database', '--database', [CompletionResultType]::ParameterName, 'Only locks of this database (repeat for others)')
            [CompletionResult]::new('--include', '--include', [CompletionResultType]::ParameterName, 'Only this rule (repeat for others)')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'All rules but this one (repeat for others)')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 from this severity on')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'How to show the result')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to show the result')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the result to this file, whole or not at all')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to this file, whole or not at all')
            [CompletionResult]::new('--query', '--query', [CompletionResultType]::ParameterName, 'How much of the sessions'' query texts to read and show')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--no-password', '--no-password', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--print-sql', '--print-sql', [CompletionResultType]::ParameterName, 'Print the SQL for a machine where only psql runs, and leave')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 2 when something that bears on the verdict could not be seen')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;keys' {
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Explain a key: how it looks in pg_locks and in the log, how it is given back, who takes it')
            [CompletionResult]::new('derive', 'derive', [CompletionResultType]::ParameterValue, 'Show the keys that a name gives, under every scheme and for known tools')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the tools that are known to take advisory locks, and their keys')
            break
        }
        'lockaudit;keys;explain' {
            [CompletionResult]::new('--database', '--database', [CompletionResultType]::ParameterName, 'The name of the lock''s database (repeat for others): some keys are made of it')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'A name that the lock may have (repeat for others), tried under every scheme')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'A schema that the tool may work in (repeat for others), beside public')
            [CompletionResult]::new('--names', '--names', [CompletionResultType]::ParameterName, 'Your names for locks: see docs/names.md')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'How to show the result')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to show the result')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;keys;derive' {
            [CompletionResult]::new('--database', '--database', [CompletionResultType]::ParameterName, 'The database''s name, for the tools that make their key of it')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'The seed of hashtextextended')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The first half of a pair whose second is the name''s hash')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'How to show the result')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to show the result')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;keys;list' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'How to show the result')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to show the result')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;release' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('--username', '--username', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--dbname', '--dbname', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--set-role', '--set-role', [CompletionResultType]::ParameterName, 'Look as this role (SET LOCAL ROLE in each sample)')
            [CompletionResult]::new('--pid', '--pid', [CompletionResultType]::ParameterName, 'The session that holds the key')
            [CompletionResult]::new('--gid', '--gid', [CompletionResultType]::ParameterName, 'The prepared transaction that holds it: shows the way out, and ends nothing')
            [CompletionResult]::new('--key', '--key', [CompletionResultType]::ParameterName, 'The key: 42, -7,-42 (two integers), CLASSID/OBJID/OBJSUBID or [DATABASE,…] of a log line')
            [CompletionResult]::new('--database', '--database', [CompletionResultType]::ParameterName, 'The database of the lock, if it is not the connected one')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--no-password', '--no-password', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Do not ask')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Do not ask')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the statement for psql, and do nothing')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;budget' {
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Add up what all roles may open, and say whether the server has room for it')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Draw the budget as bars, without a deploy and during one')
            [CompletionResult]::new('fit', 'fit', [CompletionResultType]::ParameterValue, 'Say what would fit: the largest pools, the most nodes, the smallest max_connections')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Write a file to start from, with every key explained')
            [CompletionResult]::new('import', 'import', [CompletionResultType]::ParameterValue, 'Begin a file from Kubernetes manifests: a role for each pool that pods have')
            break
        }
        'lockaudit;budget;check' {
            [CompletionResult]::new('--role', '--role', [CompletionResultType]::ParameterName, 'A role, instead of a file: NAME:nodes=N,pool=N[,processes=N,overflow=N,extra=N] (repeat for others)')
            [CompletionResult]::new('--overlap', '--overlap', [CompletionResultType]::ParameterName, 'How often every instance exists during a deploy: 2, or "150%"')
            [CompletionResult]::new('--max-connections', '--max-connections', [CompletionResultType]::ParameterName, 'max_connections of the server')
            [CompletionResult]::new('--superuser-reserved', '--superuser-reserved', [CompletionResultType]::ParameterName, 'superuser_reserved_connections of the server [default: 3]')
            [CompletionResult]::new('--reserved', '--reserved', [CompletionResultType]::ParameterName, 'reserved_connections of the server (PostgreSQL 16 and later) [default: 0]')
            [CompletionResult]::new('--provider-reserved', '--provider-reserved', [CompletionResultType]::ParameterName, 'Slots that the provider keeps beyond those two [default: 0]')
            [CompletionResult]::new('--min-free', '--min-free', [CompletionResultType]::ParameterName, 'Slots that must stay free at the peak')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('--username', '--username', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--dbname', '--dbname', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--set-role', '--set-role', [CompletionResultType]::ParameterName, 'Look as this role (SET LOCAL ROLE in each sample)')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'How to show the result')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to show the result')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the result to this file, whole or not at all')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to this file, whole or not at all')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)')
            [CompletionResult]::new('--live', '--live', [CompletionResultType]::ParameterName, 'Read the server''s numbers, and compare the plan with who is connected')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--no-password', '--no-password', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 for warnings too')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'Exit with 0 whatever is found; 2 stays 2')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;budget;show' {
            [CompletionResult]::new('--role', '--role', [CompletionResultType]::ParameterName, 'A role, instead of a file: NAME:nodes=N,pool=N[,processes=N,overflow=N,extra=N] (repeat for others)')
            [CompletionResult]::new('--overlap', '--overlap', [CompletionResultType]::ParameterName, 'How often every instance exists during a deploy: 2, or "150%"')
            [CompletionResult]::new('--max-connections', '--max-connections', [CompletionResultType]::ParameterName, 'max_connections of the server')
            [CompletionResult]::new('--superuser-reserved', '--superuser-reserved', [CompletionResultType]::ParameterName, 'superuser_reserved_connections of the server [default: 3]')
            [CompletionResult]::new('--reserved', '--reserved', [CompletionResultType]::ParameterName, 'reserved_connections of the server (PostgreSQL 16 and later) [default: 0]')
            [CompletionResult]::new('--provider-reserved', '--provider-reserved', [CompletionResultType]::ParameterName, 'Slots that the provider keeps beyond those two [default: 0]')
            [CompletionResult]::new('--min-free', '--min-free', [CompletionResultType]::ParameterName, 'Slots that must stay free at the peak')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('--username', '--username', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--dbname', '--dbname', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--set-role', '--set-role', [CompletionResultType]::ParameterName, 'Look as this role (SET LOCAL ROLE in each sample)')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'How to draw it')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to draw it')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the result to this file, whole or not at all')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to this file, whole or not at all')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)')
            [CompletionResult]::new('--live', '--live', [CompletionResultType]::ParameterName, 'Read the server''s numbers, and compare the plan with who is connected')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--no-password', '--no-password', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;budget;fit' {
            [CompletionResult]::new('--role', '--role', [CompletionResultType]::ParameterName, 'A role, instead of a file: NAME:nodes=N,pool=N[,processes=N,overflow=N,extra=N] (repeat for others)')
            [CompletionResult]::new('--overlap', '--overlap', [CompletionResultType]::ParameterName, 'How often every instance exists during a deploy: 2, or "150%"')
            [CompletionResult]::new('--max-connections', '--max-connections', [CompletionResultType]::ParameterName, 'max_connections of the server')
            [CompletionResult]::new('--superuser-reserved', '--superuser-reserved', [CompletionResultType]::ParameterName, 'superuser_reserved_connections of the server [default: 3]')
            [CompletionResult]::new('--reserved', '--reserved', [CompletionResultType]::ParameterName, 'reserved_connections of the server (PostgreSQL 16 and later) [default: 0]')
            [CompletionResult]::new('--provider-reserved', '--provider-reserved', [CompletionResultType]::ParameterName, 'Slots that the provider keeps beyond those two [default: 0]')
            [CompletionResult]::new('--min-free', '--min-free', [CompletionResultType]::ParameterName, 'Slots that must stay free at the peak')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('--username', '--username', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--dbname', '--dbname', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--set-role', '--set-role', [CompletionResultType]::ParameterName, 'Look as this role (SET LOCAL ROLE in each sample)')
            [CompletionResult]::new('--of', '--of', [CompletionResultType]::ParameterName, 'Only what this role may have (repeat for others)')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the result to this file, whole or not at all')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to this file, whole or not at all')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)')
            [CompletionResult]::new('--live', '--live', [CompletionResultType]::ParameterName, 'Read the server''s numbers, and compare the plan with who is connected')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--no-password', '--no-password', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;budget;init' {
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;budget;import' {
            [CompletionResult]::new('--pool-env', '--pool-env', [CompletionResultType]::ParameterName, 'The variable that has the size of a process''s pool (repeat for others: the first counts that a container has); each container that has it becomes a role')
            [CompletionResult]::new('--overflow-env', '--overflow-env', [CompletionResultType]::ParameterName, 'The variable that says what the pool may open beyond its size (SQLAlchemy''s max_overflow)')
            [CompletionResult]::new('--processes-env', '--processes-env', [CompletionResultType]::ParameterName, 'The variable that says how many processes a container runs; one where it is not set')
            [CompletionResult]::new('--pool', '--pool', [CompletionResultType]::ParameterName, 'The most that one process of a role opens, whatever its variables say: ROLE=N (repeat)')
            [CompletionResult]::new('--skip', '--skip', [CompletionResultType]::ParameterName, 'A role that does not connect to this server (repeat)')
            [CompletionResult]::new('--nodes', '--nodes', [CompletionResultType]::ParameterName, 'Nodes of the cluster, for a DaemonSet')
            [CompletionResult]::new('--overlapping-runs', '--overlapping-runs', [CompletionResultType]::ParameterName, 'Runs at the same moment of a CronJob whose concurrencyPolicy is Allow')
            [CompletionResult]::new('--deploy-every', '--deploy-every', [CompletionResultType]::ParameterName, 'How soon a deploy may follow another: with the grace period it says how many overlap')
            [CompletionResult]::new('--max-connections', '--max-connections', [CompletionResultType]::ParameterName, 'max_connections of the server')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to this file, whole or not at all; one that exists is left alone')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to this file, whole or not at all; one that exists is left alone')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Write anew a file that exists')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;lease' {
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Create the tables of leases, and print what a role needs to be granted')
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Run a command while a lease is held, and stop it when the lease is lost')
            [CompletionResult]::new('take', 'take', [CompletionResultType]::ParameterValue, 'Take a lease once, and print its holder, token and end')
            [CompletionResult]::new('renew', 'renew', [CompletionResultType]::ParameterValue, 'Give a lease its time anew')
            [CompletionResult]::new('release', 'release', [CompletionResultType]::ParameterValue, 'Give a lease back')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'Show who has which lease, since when, and for how long still')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Ask whether a lease is valid')
            [CompletionResult]::new('break', 'break', [CompletionResultType]::ParameterValue, 'Take a lease away from whoever has it; its token rises, so that they are refused everywhere')
            [CompletionResult]::new('history', 'history', [CompletionResultType]::ParameterValue, 'Show what happened to leases, the newest first')
            [CompletionResult]::new('prune', 'prune', [CompletionResultType]::ParameterValue, 'Delete old events from the log; leases and the last grant of each name stay')
            break
        }
        'lockaudit;lease;init' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('--username', '--username', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--dbname', '--dbname', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--set-role', '--set-role', [CompletionResultType]::ParameterName, 'Look as this role (SET LOCAL ROLE in each sample)')
            [CompletionResult]::new('--table', '--table', [CompletionResultType]::ParameterName, 'The table of leases: `table` or `schema.table`; its log is called the same with _log')
            [CompletionResult]::new('--role', '--role', [CompletionResultType]::ParameterName, 'The role whose grants are printed')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--no-password', '--no-password', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--print-sql', '--print-sql', [CompletionResultType]::ParameterName, 'Print the SQL, and connect to nothing')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;lease;run' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('--username', '--username', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--dbname', '--dbname', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--set-role', '--set-role', [CompletionResultType]::ParameterName, 'Look as this role (SET LOCAL ROLE in each sample)')
            [CompletionResult]::new('--table', '--table', [CompletionResultType]::ParameterName, 'The table of leases: `table` or `schema.table`; its log is called the same with _log')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Wait this long at most; without it, for ever. Waiting is not fair: who looks first after the end gets it')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Wait this long at most; without it, for ever. Waiting is not fair: who looks first after the end gets it')
            [CompletionResult]::new('-E', '-E ', [CompletionResultType]::ParameterName, 'The exit status when somebody else has the lease')
            [CompletionResult]::new('--conflict-exit-code', '--conflict-exit-code', [CompletionResultType]::ParameterName, 'The exit status when somebody else has the lease')
            [CompletionResult]::new('--ttl', '--ttl', [CompletionResultType]::ParameterName, 'How long the lease lasts unless it is renewed')
            [CompletionResult]::new('--renew', '--renew', [CompletionResultType]::ParameterName, 'How often it is renewed [default: a quarter of --ttl, 30s at most]')
            [CompletionResult]::new('--grace', '--grace', [CompletionResultType]::ParameterName, 'From SIGTERM to SIGKILL, when it could not be renewed [default: a twelfth of --ttl, 10s at most]')
            [CompletionResult]::new('--margin', '--margin', [CompletionResultType]::ParameterName, 'From SIGKILL to the end of the lease [default: a twenty-fourth of --ttl, 5s at most]')
            [CompletionResult]::new('--bridge', '--bridge', [CompletionResultType]::ParameterName, 'How old code is kept out of a name in mode `both`, while it moves from its advisory key (`lockaudit migrate`)')
            [CompletionResult]::new('--reason', '--reason', [CompletionResultType]::ParameterName, 'Why, for the log of leases, if not the command''s name (its arguments may hold secrets)')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Do not wait for a lease that somebody else has')
            [CompletionResult]::new('--no-wait', '--no-wait', [CompletionResultType]::ParameterName, 'Do not wait for a lease that somebody else has')
            [CompletionResult]::new('--no-password', '--no-password', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;lease;take' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('--username', '--username', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--dbname', '--dbname', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--set-role', '--set-role', [CompletionResultType]::ParameterName, 'Look as this role (SET LOCAL ROLE in each sample)')
            [CompletionResult]::new('--table', '--table', [CompletionResultType]::ParameterName, 'The table of leases: `table` or `schema.table`; its log is called the same with _log')
            [CompletionResult]::new('--ttl', '--ttl', [CompletionResultType]::ParameterName, 'How long it lasts unless it is renewed')
            [CompletionResult]::new('--holder', '--holder', [CompletionResultType]::ParameterName, 'Who takes it, if not a new HOST:PID:CHANCE; the same holder gets the same lease again')
            [CompletionResult]::new('--reason', '--reason', [CompletionResultType]::ParameterName, 'Why, for the log')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'How to show the lease')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to show the lease')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--no-password', '--no-password', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;lease;renew' {
            [CompletionResult]::new('--holder', '--holder', [CompletionResultType]::ParameterName, 'The holder that `take` printed')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'The token that `take` printed')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('--username', '--username', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--dbname', '--dbname', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--set-role', '--set-role', [CompletionResultType]::ParameterName, 'Look as this role (SET LOCAL ROLE in each sample)')
            [CompletionResult]::new('--table', '--table', [CompletionResultType]::ParameterName, 'The table of leases: `table` or `schema.table`; its log is called the same with _log')
            [CompletionResult]::new('--ttl', '--ttl', [CompletionResultType]::ParameterName, 'How long it lasts from now unless it is renewed')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'How to show the lease')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to show the lease')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--no-password', '--no-password', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;lease;release' {
            [CompletionResult]::new('--holder', '--holder', [CompletionResultType]::ParameterName, 'The holder that `take` printed')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'The token that `take` printed')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('--username', '--username', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--dbname', '--dbname', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--set-role', '--set-role', [CompletionResultType]::ParameterName, 'Look as this role (SET LOCAL ROLE in each sample)')
            [CompletionResult]::new('--table', '--table', [CompletionResultType]::ParameterName, 'The table of leases: `table` or `schema.table`; its log is called the same with _log')
            [CompletionResult]::new('--reason', '--reason', [CompletionResultType]::ParameterName, 'Why, for the log')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--no-password', '--no-password', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;lease;list' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('--username', '--username', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--dbname', '--dbname', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--set-role', '--set-role', [CompletionResultType]::ParameterName, 'Look as this role (SET LOCAL ROLE in each sample)')
            [CompletionResult]::new('--table', '--table', [CompletionResultType]::ParameterName, 'The table of leases: `table` or `schema.table`; its log is called the same with _log')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'How to show the result')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to show the result')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--no-password', '--no-password', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;lease;check' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('--username', '--username', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--dbname', '--dbname', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--set-role', '--set-role', [CompletionResultType]::ParameterName, 'Look as this role (SET LOCAL ROLE in each sample)')
            [CompletionResult]::new('--table', '--table', [CompletionResultType]::ParameterName, 'The table of leases: `table` or `schema.table`; its log is called the same with _log')
            [CompletionResult]::new('--holder', '--holder', [CompletionResultType]::ParameterName, 'Only if it is this holder''s')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Only if it is under this token')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'How to show the lease')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to show the lease')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--no-password', '--no-password', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;lease;break' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('--username', '--username', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--dbname', '--dbname', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--set-role', '--set-role', [CompletionResultType]::ParameterName, 'Look as this role (SET LOCAL ROLE in each sample)')
            [CompletionResult]::new('--table', '--table', [CompletionResultType]::ParameterName, 'The table of leases: `table` or `schema.table`; its log is called the same with _log')
            [CompletionResult]::new('--reason', '--reason', [CompletionResultType]::ParameterName, 'Why, for the log: whoever had it may still be at work')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--no-password', '--no-password', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;lease;history' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('--username', '--username', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--dbname', '--dbname', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--set-role', '--set-role', [CompletionResultType]::ParameterName, 'Look as this role (SET LOCAL ROLE in each sample)')
            [CompletionResult]::new('--table', '--table', [CompletionResultType]::ParameterName, 'The table of leases: `table` or `schema.table`; its log is called the same with _log')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'How many events at most')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'How to show the result')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to show the result')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--no-password', '--no-password', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;lease;prune' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('--username', '--username', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--dbname', '--dbname', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--set-role', '--set-role', [CompletionResultType]::ParameterName, 'Look as this role (SET LOCAL ROLE in each sample)')
            [CompletionResult]::new('--table', '--table', [CompletionResultType]::ParameterName, 'The table of leases: `table` or `schema.table`; its log is called the same with _log')
            [CompletionResult]::new('--older-than', '--older-than', [CompletionResultType]::ParameterName, 'Younger events stay')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--no-password', '--no-password', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;migrate' {
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Say of each key in use what is to become of it, and why; write that as a file to review')
            [CompletionResult]::new('apply', 'apply', [CompletionResultType]::ParameterValue, 'Make the tables, and a row for each name under its old key: the migration begins')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Say where each name stands, and which gates are open')
            [CompletionResult]::new('fence', 'fence', [CompletionResultType]::ParameterValue, 'Hold the old keys, so that forgotten old code can''t work and is seen')
            [CompletionResult]::new('advance', 'advance', [CompletionResultType]::ParameterValue, 'Take a name one mode further, towards its lease, if the gates are open')
            [CompletionResult]::new('rollback', 'rollback', [CompletionResultType]::ParameterValue, 'Take a name one mode back, towards its old key, if the gates are open')
            [CompletionResult]::new('finish', 'finish', [CompletionResultType]::ParameterValue, 'Forget the old keys, once every name has its lease alone')
            break
        }
        'lockaudit;migrate;plan' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('--username', '--username', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--dbname', '--dbname', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--set-role', '--set-role', [CompletionResultType]::ParameterName, 'Look as this role (SET LOCAL ROLE in each sample)')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Look for this long; without it, once')
            [CompletionResult]::new('--every', '--every', [CompletionResultType]::ParameterName, 'Time between two samples')
            [CompletionResult]::new('--input', '--input', [CompletionResultType]::ParameterName, 'A snapshot that `scan --save` wrote, or the CSV of `scan --print-sql` (repeat for others)')
            [CompletionResult]::new('--database', '--database', [CompletionResultType]::ParameterName, 'Only keys of this database (repeat for others)')
            [CompletionResult]::new('--map', '--map', [CompletionResultType]::ParameterName, 'What keys are called: [[name]] tables with name, key and perhaps database and ttl, as in migration.toml (repeat for others)')
            [CompletionResult]::new('--names', '--names', [CompletionResultType]::ParameterName, 'Your names for locks, and how keys are made of them: see docs/names.md (repeat for others)')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'How to print the plan')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to print the plan')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the plan to this file for review, usually migration.toml; merge into it if it is there')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the plan to this file for review, usually migration.toml; merge into it if it is there')
            [CompletionResult]::new('--emit', '--emit', [CompletionResultType]::ParameterName, 'Print the code of one key for its application instead: before, and under its lease')
            [CompletionResult]::new('--of', '--of', [CompletionResultType]::ParameterName, 'The name in the plan that the code is of; without it, the only one that becomes a lease')
            [CompletionResult]::new('--bridge', '--bridge', [CompletionResultType]::ParameterName, 'What that code does about the old key in mode `both`, as the code itself explains')
            [CompletionResult]::new('--table', '--table', [CompletionResultType]::ParameterName, 'The table of leases in that code: `table` or `schema.table`')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--no-password', '--no-password', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;migrate;apply' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('--username', '--username', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--dbname', '--dbname', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--set-role', '--set-role', [CompletionResultType]::ParameterName, 'Look as this role (SET LOCAL ROLE in each sample)')
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'The reviewed plan; without it, migration.toml, unless only functions are asked for')
            [CompletionResult]::new('--table', '--table', [CompletionResultType]::ParameterName, 'The table of leases: `table` or `schema.table`; its log is called the same with _log')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--no-password', '--no-password', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the SQL for psql, and do nothing')
            [CompletionResult]::new('--functions', '--functions', [CompletionResultType]::ParameterName, 'Also make SQL functions for applications: TABLE_take, _renew, _release and _check')
            [CompletionResult]::new('--uninstall-functions', '--uninstall-functions', [CompletionResultType]::ParameterName, 'Remove those functions, and do nothing else')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;migrate;status' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('--username', '--username', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--dbname', '--dbname', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--set-role', '--set-role', [CompletionResultType]::ParameterName, 'Look as this role (SET LOCAL ROLE in each sample)')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Only this name')
            [CompletionResult]::new('--wait-for', '--wait-for', [CompletionResultType]::ParameterName, 'Wait until every name is ready for this mode')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'Give up after this long; 0s looks once')
            [CompletionResult]::new('--period', '--period', [CompletionResultType]::ParameterName, 'The longest time between two runs of the work, or that one takes: old code must not have been seen for so long')
            [CompletionResult]::new('--table', '--table', [CompletionResultType]::ParameterName, 'The table of leases: `table` or `schema.table`; its log is called the same with _log')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'How to print it')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to print it')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--no-password', '--no-password', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;migrate;fence' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'The names; without, every one that is in mode `both` or `lease` and has an old key')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('--username', '--username', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--dbname', '--dbname', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--set-role', '--set-role', [CompletionResultType]::ParameterName, 'Look as this role (SET LOCAL ROLE in each sample)')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'End after this long; without it, at a signal')
            [CompletionResult]::new('--every', '--every', [CompletionResultType]::ParameterName, 'Time between two rounds of trying and looking')
            [CompletionResult]::new('--ttl', '--ttl', [CompletionResultType]::ParameterName, 'How long the fence''s own lease lasts once it is not renewed any more')
            [CompletionResult]::new('--table', '--table', [CompletionResultType]::ParameterName, 'The table of leases: `table` or `schema.table`; its log is called the same with _log')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'How to print what happens, a line each')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to print what happens, a line each')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--no-password', '--no-password', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;migrate;advance' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('--username', '--username', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--dbname', '--dbname', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--set-role', '--set-role', [CompletionResultType]::ParameterName, 'Look as this role (SET LOCAL ROLE in each sample)')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Only to this mode: then it may be asked for twice')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Go on though old code could not be looked for long enough; say why')
            [CompletionResult]::new('--period', '--period', [CompletionResultType]::ParameterName, 'The longest time between two runs of the work, or that one takes: old code must not have been seen for so long')
            [CompletionResult]::new('--table', '--table', [CompletionResultType]::ParameterName, 'The table of leases: `table` or `schema.table`; its log is called the same with _log')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--no-password', '--no-password', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Every name that has an old key, each as far as its gates are open (name the server by -d or -h)')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show the gates, and do nothing')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;migrate;rollback' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('--username', '--username', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--dbname', '--dbname', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--set-role', '--set-role', [CompletionResultType]::ParameterName, 'Look as this role (SET LOCAL ROLE in each sample)')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Only to this mode: then it may be asked for twice')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Go on though old code could not be looked for long enough; say why')
            [CompletionResult]::new('--period', '--period', [CompletionResultType]::ParameterName, 'The longest time between two runs of the work, or that one takes: old code must not have been seen for so long')
            [CompletionResult]::new('--table', '--table', [CompletionResultType]::ParameterName, 'The table of leases: `table` or `schema.table`; its log is called the same with _log')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--no-password', '--no-password', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Every name that has an old key, each as far as its gates are open (name the server by -d or -h)')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show the gates, and do nothing')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;migrate;finish' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Server host or socket directory')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Server port')
            [CompletionResult]::new('-U', '-U ', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('--username', '--username', [CompletionResultType]::ParameterName, 'Role to connect as')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--dbname', '--dbname', [CompletionResultType]::ParameterName, 'Database name, URI or conninfo string')
            [CompletionResult]::new('--set-role', '--set-role', [CompletionResultType]::ParameterName, 'Look as this role (SET LOCAL ROLE in each sample)')
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Keep a copy of this plan beside it, marked as finished: FILE.finished')
            [CompletionResult]::new('--period', '--period', [CompletionResultType]::ParameterName, 'The longest time between two runs of the work, or that one takes: old code must not have been seen for so long')
            [CompletionResult]::new('--table', '--table', [CompletionResultType]::ParameterName, 'The table of leases: `table` or `schema.table`; its log is called the same with _log')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--no-password', '--no-password', [CompletionResultType]::ParameterName, 'Never ask for a password (lockaudit never does)')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what stands in the way, and do nothing')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;explain' {
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;lab' {
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the scenarios')
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Run a scenario on a throwaway PostgreSQL, and the real scan on it')
            break
        }
        'lockaudit;lab;list' {
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;lab;run' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)')
            [CompletionResult]::new('--keep', '--keep', [CompletionResultType]::ParameterName, 'Stop at the incident, leave the server up and print how to connect; Ctrl-C ends it')
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;schema' {
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;completions' {
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lockaudit;man' {
            [CompletionResult]::new('-?', '-?', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
