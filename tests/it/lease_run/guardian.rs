//! What the guardian does when lockaudit cannot: it was killed, or stopped, or its guardian was.

use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::{SHORT, children_of, ends, nobody_has_it, prepared, starts};
use crate::harness::{Running, is_alive, wait_for, wait_for_some};

/// A shell with a child, both deaf to SIGTERM if they are told to be.
fn family(deaf: &str) -> String {
    format!(
        "{deaf} sleep 600 >&- 2>&- & echo grandchild $!; echo job $$; while :; do sleep 0.1; done"
    )
}

const DEAF: &str = "trap '' TERM;";

#[track_caller]
fn pids(run: &Running) -> (String, String) {
    (
        run.waits_for_the_line("job "),
        run.waits_for_the_line("grandchild "),
    )
}

fn pid(text: &str) -> Pid {
    Pid::from_raw(text.parse().expect("a pid")).expect("a pid")
}

/// The guardian is lockaudit's other child.
#[track_caller]
fn guardian_of(run: &Running, other_than: &[&str]) -> String {
    wait_for_some("a guardian", || {
        let mut children = children_of(run.pid()).into_iter();
        children.find(|child| !other_than.contains(&child.as_str()) && is_alive(child))
    })
}

#[test]
fn a_killed_lockaudit_takes_its_job_with_it_down_to_the_grandchildren() {
    for deaf in ["", DEAF] {
        let db = prepared("killed");
        let run = starts(&db, &["--ttl", SHORT], &family(deaf));
        let (job, grandchild) = pids(&run);
        run.signal(Signal::KILL);
        // It comes back when the guardian has gone too, which holds stderr.
        let outcome = run.finish();
        assert_eq!(outcome.status.signal(), Some(9));
        assert!(!is_alive(&job) && !is_alive(&grandchild));
        outcome.complains("lockaudit was killed; its guardian stops the job");
        wait_for("the end of a lease that nobody renews", || {
            crate::harness::lockaudit(&["lease", "check", "job", "-d", &db.url()])
                .status
                .code()
                == Some(1)
        });
    }
}

#[test]
fn a_stopped_lockaudit_s_job_is_stopped_before_the_lease_runs_out() {
    for deaf in ["", DEAF] {
        let db = prepared("stopped");
        let run = starts(&db, &["--ttl", SHORT], &family(deaf));
        let (job, grandchild) = pids(&run);
        run.signal(Signal::STOP);
        // No renewal can be sent any more, so none was sent later than now.
        let ends_at = now() + Duration::from_secs(4);
        ends(&job);
        ends(&grandchild);
        assert!(now() < ends_at, "the lease had run out");
        run.signal(Signal::CONT);
        run.finish()
            .exits_with(76)
            .complains("lockaudit does not answer; its guardian stops the job");
        nobody_has_it(&db);
    }
}

fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let seconds = u64::try_from(time.tv_sec).expect("after the start");
    Duration::new(
        seconds,
        u32::try_from(time.tv_nsec).expect("below a second"),
    )
}

#[test]
fn a_stop_that_ends_in_time_costs_nothing() {
    let db = prepared("paused");
    let run = starts(&db, &["--ttl", "60s", "--renew", "1s"], &family(""));
    let (job, _) = pids(&run);
    run.signal(Signal::STOP);
    run.signal(Signal::CONT);
    let renewed = "SELECT expires_at > taken_at + ttl + interval '2s' FROM lockaudit_lease";
    let observer = db.session("observer");
    wait_for("more renewals", || {
        observer.rows(renewed) == [[Some("t".to_owned())]]
    });
    assert!(is_alive(&job));
    run.signal(Signal::TERM);
    run.finish().exits_with(143).without_complaint();
}

/// It hears of many renewals at once, most of them old, and of none that it missed.
#[test]
fn a_guardian_that_was_stopped_for_longer_than_the_lease_lasts_leaves_the_job_alone() {
    let db = prepared("unheard");
    let run = starts(&db, &["--ttl", SHORT, "--renew", "200ms"], &family(""));
    let (job, _) = pids(&run);
    let guardian = pid(&guardian_of(&run, &[&job]));
    kill_process(guardian, Signal::STOP).expect("it runs");
    let observer = db.session("observer");
    let is_renewed_for = |lives: u32| {
        let renewed = format!("SELECT expires_at > taken_at + {lives} * ttl FROM lockaudit_lease");
        wait_for("renewals", || observer.says(&renewed));
    };
    is_renewed_for(3);
    kill_process(guardian, Signal::CONT).expect("it runs");
    is_renewed_for(4);
    assert!(is_alive(&job));
    run.signal(Signal::TERM);
    run.finish().exits_with(143).without_complaint();
}

#[test]
fn a_killed_guardian_is_replaced_by_one_that_guards() {
    let db = prepared("replaced");
    let run = starts(&db, &["--ttl", SHORT], &family(DEAF));
    let (job, grandchild) = pids(&run);
    let first = guardian_of(&run, &[&job]);
    kill_process(pid(&first), Signal::KILL).expect("it runs");
    run.waits_until_it_complains("the lease's guardian has ended; another one is started");
    let second = guardian_of(&run, &[&job, &first]);
    assert!(is_alive(&job) && is_alive(&second));
    run.signal(Signal::KILL);
    ends(&job);
    ends(&grandchild);
    run.finish();
}

/// Documented: nobody is left who could stop the grandchild. The command itself is ended by the kernel.
#[test]
fn killed_in_one_instant_lockaudit_and_guardian_take_the_command_along_and_leave_its_children() {
    let db = prepared("both");
    let run = starts(&db, &["--ttl", SHORT], &family(""));
    let (job, grandchild) = pids(&run);
    let guardian = guardian_of(&run, &[&job]);
    // Stopped first, so that neither sees the other go.
    kill_process(pid(&guardian), Signal::STOP).expect("it runs");
    run.signal(Signal::STOP);
    kill_process(pid(&guardian), Signal::KILL).expect("it runs");
    run.signal(Signal::KILL);
    run.finish();
    ends(&job);
    assert!(is_alive(&grandchild));
    kill_process(pid(&grandchild), Signal::KILL).expect("it runs");
}

#[test]
fn a_guardian_heeds_no_polite_signal() {
    let db = prepared("polite");
    let run = starts(&db, &["--ttl", SHORT], &family(""));
    let (job, grandchild) = pids(&run);
    let guardian = guardian_of(&run, &[&job]);
    for signal in [
        Signal::TERM,
        Signal::INT,
        Signal::HUP,
        Signal::QUIT,
        Signal::USR1,
    ] {
        kill_process(pid(&guardian), signal).expect("it runs");
    }
    run.signal(Signal::KILL);
    ends(&job);
    ends(&grandchild);
    let outcome = run.finish();
    assert!(!outcome.stderr.contains("another one"), "{outcome}");
    outcome.complains("lockaudit was killed; its guardian stops the job");
}

#[test]
fn a_guardian_leaves_with_its_lockaudit() {
    let db = prepared("leaves");
    let run = starts(&db, &[], "echo job $$; read -r line; exec sleep 600");
    let job = run.waits_for_the_line("job ");
    let guardian = guardian_of(&run, &[&job]);
    run.signal(Signal::TERM);
    run.finish().exits_with(143);
    assert!(!is_alive(&guardian));
}
