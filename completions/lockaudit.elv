
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
            cand explain 'Explain a rule: what it finds, how sure it is, what to do'
            cand lab 'Replay a known failure, live, on a throwaway server'
            cand schema 'Print the JSON Schema of `scan --format json`'
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
            cand --samples 'Take this many samples: more than one proves scopes and shared backends'
            cand --interval 'Time between two samples'
            cand --input 'Judge a snapshot that --save wrote, or the CSV that psql made of --print-sql; `-` is stdin'
            cand --save 'Save what was seen, for --input (readable by the owner only; --query none keeps texts out)'
            cand --pool-size 'Connections in the pool of one instance of this application (repeat for others)'
            cand --idle-after 'An idle holder that nobody waits for is only a remark before this'
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
