# The guardian of one private folder: it waits for its owner's death, stops what runs from the
# folder and removes it.
#
#     sh -c "$(cat guardian.sh)" guardian FOLDER     with the owner holding the other end of stdin
#
# It outlives every signal that the owner's terminal can send.
trap '' HUP INT QUIT TERM
folder=$1

# `read` returns when the owner closes the pipe, and the kernel does that for the dead.
read -r _

command_of() {
    { tr '\0' ' ' <"/proc/$1/cmdline" || ps -o args= -p "$1"; } 2>/dev/null
}

# A number in a pid file may be another process's by now: only one that names our folder is ours.
# The dead whom nobody has asked about yet name nothing.
is_ours() {
    case $(command_of "$1") in *"$folder/"*) ;; *) return 1 ;; esac
}

stop_the_process_of() {
    pid=$(head -n 1 "$1" 2>/dev/null)
    case $pid in '' | *[!0-9]*) return ;; esac
    is_ours "$pid" && kill "-$2" "$pid" 2>/dev/null
    turns=0
    while is_ours "$pid" && [ "$turns" -lt 100 ]; do
        turns=$((turns + 1))
        sleep 0.1
    done
    is_ours "$pid" && kill -KILL "$pid" 2>/dev/null
}

# A server stops its own processes; what else has a pid file is a single one.
stop_the_process_of "$folder"/data/postmaster.pid QUIT
for pid_file in "$folder"/*.pid; do
    stop_the_process_of "$pid_file" KILL
done

# A program that is just dying may still write there.
turns=0
until rm -rf -- "$folder" 2>/dev/null || [ "$turns" -ge 100 ]; do
    turns=$((turns + 1))
    sleep 0.1
done
