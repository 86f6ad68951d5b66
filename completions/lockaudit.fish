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
complete -c lockaudit -n "__fish_lockaudit_needs_command" -f -a "explain" -d 'Explain a rule: what it finds, how sure it is, what to do'
complete -c lockaudit -n "__fish_lockaudit_needs_command" -f -a "lab" -d 'Replay a known failure, live, on a throwaway server'
complete -c lockaudit -n "__fish_lockaudit_needs_command" -f -a "schema" -d 'Print the JSON Schema of `scan --format json`'
complete -c lockaudit -n "__fish_lockaudit_needs_command" -f -a "completions" -d 'Print shell completions'
complete -c lockaudit -n "__fish_lockaudit_needs_command" -f -a "man" -d 'Print the man page of a command'
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -s h -l host -d 'Server host or socket directory' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -s p -l port -d 'Server port' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -s U -l username -d 'Role to connect as' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -s d -l dbname -d 'Database name, URI or conninfo string' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l set-role -d 'Look as this role (SET LOCAL ROLE in each sample)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l samples -d 'Take this many samples: more than one proves scopes and shared backends' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l interval -d 'Time between two samples' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l input -d 'Judge a snapshot that --save wrote, or the CSV that psql made of --print-sql; `-` is stdin' -r -F
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l save -d 'Save what was seen, for --input (readable by the owner only; --query none keeps texts out)' -r -F
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l pool-size -d 'Connections in the pool of one instance of this application (repeat for others)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l idle-after -d 'An idle holder that nobody waits for is only a remark before this' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l database -d 'Only locks of this database (repeat for others)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l include -d 'Only this rule (repeat for others)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l exclude -d 'All rules but this one (repeat for others)' -r
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -l fail-on -d 'Exit with 1 from this severity on' -r -f -a "info\t''
warning\t''
critical\t''"
complete -c lockaudit -n "__fish_lockaudit_using_subcommand scan" -s f -l format -d 'How to show the result' -r -f -a "table\t'For people: the verdict first'
json\t'For programs: see `lockaudit schema`'"
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
