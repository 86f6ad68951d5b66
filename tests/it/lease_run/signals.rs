//! Signals reach the command, at every stage.

use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::{children_of, ends, nobody_has_it, prepared, somebody_has_it, starts};
use crate::harness::{is_alive, wait_for, wait_for_some};

#[test]
fn a_signal_is_the_command_s_to_heed() {
    let db = prepared("heeded");
    let run = starts(
        &db,
        &[],
        "trap 'echo hangup' HUP; trap 'echo one' USR1; trap 'echo two' USR2; trap 'exit 42' TERM; \
         sleep 600 >&- 2>&- & echo grandchild $!; echo begun; while :; do sleep 0.01; done 2>&-",
    );
    let grandchild = run.waits_for_the_line("grandchild ");
    run.waits_until_it_says("begun");
    for (signal, word) in [(Signal::USR1, "one\n"), (Signal::USR2, "two\n")] {
        run.signal(signal);
        run.waits_until_it_says(word);
    }
    assert!(is_alive(&grandchild), "they are the command's alone");
    run.signal(Signal::HUP);
    run.waits_until_it_says("hangup\n");
    ends(&grandchild);
    somebody_has_it(&db);
    run.signal(Signal::TERM);
    run.finish().exits_with(42);
    nobody_has_it(&db);
}

#[test]
fn a_signal_ends_a_command_that_does_not_heed_it_and_all_of_its_group() {
    for (signal, status) in [
        (Signal::HUP, 129),
        (Signal::INT, 130),
        (Signal::QUIT, 131),
        (Signal::TERM, 143),
    ] {
        let db = prepared("ended");
        // What a shell starts with `&` ignores SIGINT and SIGQUIT.
        let run = starts(&db, &[], "echo job $$; sleep 600 | sleep 600; exit 1");
        let job = run.waits_for_the_line("job ");
        let job: u32 = job.parse().expect("a pid");
        let both = || Some(children_of(job)).filter(|children| children.len() == 2);
        let grandchildren = wait_for_some("the pipeline", both);
        run.signal(signal);
        run.finish().exits_with(status);
        assert!(!grandchildren.iter().any(|pid| is_alive(pid)));
        nobody_has_it(&db);
    }
}

#[test]
fn the_lease_is_kept_while_anything_of_the_group_runs() {
    let db = prepared("lingers");
    let run = starts(
        &db,
        &["--ttl", super::SHORT],
        "sleep 600 >&- 2>&- & echo grandchild $!; exit 5",
    );
    let grandchild = run.waits_for_the_line("grandchild ");
    run.waits_until_it_complains("other processes of its group run: job is kept until they end");
    somebody_has_it(&db);
    assert!(is_alive(&grandchild));
    let pid = Pid::from_raw(grandchild.parse().expect("a pid")).expect("a pid");
    kill_process(pid, Signal::TERM).expect("it runs");
    run.finish().exits_with(5);
    nobody_has_it(&db);
}

#[test]
fn whoever_waits_can_be_told_to_stop() {
    let db = prepared("waiting");
    let holder = starts(&db, &[], "echo begun; exec sleep 600");
    holder.waits_until_it_says("begun");
    for (signal, status) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let waiter = starts(&db, &[], "echo never");
        waiter.waits_until_it_complains("waiting; ");
        waiter.signal(signal);
        waiter
            .finish()
            .exits_with(status)
            .keeps_quiet_about("never");
    }
    holder.signal(Signal::TERM);
    holder.finish().exits_with(143);
}

/// Each run is told to stop a little later than the one before, from before it can hear to after the command
/// has begun.
#[test]
fn no_moment_is_left_in_which_a_signal_loses_the_command_or_the_lease() {
    let folder = TempDir::new().expect("a folder");
    for turn in 0..24 {
        let db = prepared("moments");
        let told = folder.path().join(turn.to_string());
        let script = format!(
            "echo $$ > {0}.new; mv {0}.new {0}; exec sleep 600",
            told.display()
        );
        let run = starts(&db, &[], &script);
        spin(Duration::from_millis(turn));
        run.signal(Signal::TERM);
        let status = run.finish().status;
        // Before it can hear, it ends as any program does.
        assert!(
            status.code() == Some(143) || status.signal() == Some(15),
            "{status}"
        );
        if let Ok(pid) = fs::read_to_string(&told) {
            assert!(!is_alive(pid.trim()), "turn {turn}: the command runs on");
        }
        nobody_has_it(&db);
    }
}

/// Less than a sleep: it only moves the moment of a signal.
fn spin(length: Duration) {
    let begun = std::fs::metadata("/proc/self").map(|_| ());
    begun.expect("there is a /proc");
    let clock = || rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let nanoseconds = |time: rustix::time::Timespec| {
        i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec)
    };
    let start = nanoseconds(clock());
    let length = i128::try_from(length.as_nanos()).expect("short");
    while nanoseconds(clock()) - start < length {
        std::hint::spin_loop();
    }
}

#[test]
fn what_was_ignored_at_the_start_stays_ignored() {
    let db = prepared("nohup");
    let folder = TempDir::new().expect("a folder");
    let told = folder.path().join("pid");
    let lockaudit = env!("CARGO_BIN_EXE_lockaudit");
    let script = format!(
        "trap '' HUP; exec {lockaudit} lease run job -d '{}' -- sh -c 'echo $$ > {1}.new; mv {1}.new {1}; exec sleep 600'",
        db.url(),
        told.display()
    );
    let mut run = Command::new("sh")
        .args(["-c", &script])
        .stdin(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("`sh` starts");
    let job = wait_for_some("the command's pid", || fs::read_to_string(&told).ok());
    let ignored = fs::read_to_string(format!("/proc/{}/status", job.trim())).expect("it runs");
    let ignored = ignored
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:\t"));
    let ignored = u64::from_str_radix(ignored.expect("Linux says it"), 16).expect("a set");
    assert_eq!(ignored & 1, 1, "SIGHUP is the first signal");
    let lockaudit = Pid::from_child(&run);
    kill_process(lockaudit, Signal::HUP).expect("it runs");
    kill_process(lockaudit, Signal::TERM).expect("it runs");
    let mut status = None;
    wait_for("the end of the run", || {
        status = run.try_wait().expect("our child");
        status.is_some()
    });
    assert_eq!(status.and_then(|status| status.code()), Some(143));
    ends(job.trim());
}
