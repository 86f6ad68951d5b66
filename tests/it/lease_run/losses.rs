//! The lease goes, or cannot be renewed: the command goes first.

use std::fs;

use lockaudit::throwaway::Shutdown;
use rustix::process::{Pid, Signal, kill_process};

use super::{SHORT, ends, nobody_has_it, prepared, prepared_on, somebody_has_it, starts, words};
use crate::harness::{
    Database, Lockaudit, Running, Server, fast_options, is_alive, lockaudit, wait_for,
};

/// Ignores SIGTERM in the shell and in what it starts.
const DEAF: &str =
    "trap '' TERM; sleep 600 >&- 2>&- & echo grandchild $!; echo job $$; while :; do sleep 1; done";

#[track_caller]
fn broken(db: &Database<'_>) {
    let words = ["lease", "break", "job", "-d", &db.url(), "--reason", "test"];
    lockaudit(&words).succeeds();
}

fn pid(text: &str) -> Pid {
    Pid::from_raw(text.parse().expect("a pid")).expect("a pid")
}

#[test]
fn a_lease_that_an_operator_broke_stops_the_command_with_its_children() {
    Server::each(|server| {
        let db = prepared_on(server, "broken");
        let run = starts(
            &db,
            &["--ttl", SHORT],
            "sleep 600 >&- 2>&- & echo grandchild $!; trap 'echo tidy; exit 3' TERM; echo begun; while :; do sleep 0.01; done",
        );
        let grandchild = run.waits_for_the_line("grandchild ");
        run.waits_until_it_says("begun");
        broken(&db);
        run.finish()
            .exits_with(76)
            .says("tidy\n")
            .complains("job is lost: it is not ours any more; the job is told to stop");
        assert!(!is_alive(&grandchild));
    });
}

#[test]
fn a_command_that_does_not_heed_the_stop_is_killed_five_seconds_later() {
    let db = prepared("deaf");
    let run = starts(&db, &["--ttl", "40s", "--renew", "1s"], DEAF);
    let grandchild = run.waits_for_the_line("grandchild ");
    let job = run.waits_for_the_line("job ");
    broken(&db);
    run.waits_until_it_complains("told to stop");
    assert!(is_alive(&job) && is_alive(&grandchild));
    run.finish().exits_with(76);
    assert!(!is_alive(&job) && !is_alive(&grandchild));
}

#[test]
fn whoever_takes_the_lease_next_is_not_disturbed_by_the_one_that_lost_it() {
    let db = prepared("next");
    let run = starts(&db, &["--ttl", "40s", "--renew", "1s"], DEAF);
    run.waits_for_the_line("job ");
    broken(&db);
    let next = starts(&db, &[], "echo begun; exec sleep 600");
    next.waits_until_it_says("begun");
    run.finish().exits_with(76);
    somebody_has_it(&db);
    next.signal(Signal::TERM);
    next.finish().exits_with(143);
}

/// A server of the test's own, with leases in it.
fn private() -> (Server, String) {
    let installation = Server::any().cluster().installation();
    let server = Server::private(installation, fast_options());
    let url = server.address().url();
    lockaudit(&["lease", "init", "-d", &url]).succeeds();
    (server, url)
}

fn starts_at(url: &str, options: &[&str], script: &str) -> Running {
    Lockaudit::new(&words(url, options, script)).start()
}

#[test]
fn a_server_that_restarts_in_time_costs_nothing() {
    let (server, url) = private();
    let mut cluster = server.into_cluster();
    let run = starts_at(
        &url,
        &["--ttl", "60s", "--renew", "1s"],
        "echo begun; exec sleep 600",
    );
    run.waits_until_it_says("begun");
    cluster.stop(Shutdown::Immediate).expect("it stops");
    run.waits_until_it_complains("could not renew job, and goes on trying");
    cluster.restart(Shutdown::Fast).expect("it starts again");
    run.waits_until_it_complains("job is renewed again");
    run.signal(Signal::TERM);
    run.finish().exits_with(143);
    lockaudit(&["lease", "check", "job", "-d", &url]).exits_with(1);
}

#[test]
fn a_server_that_is_gone_stops_the_command_before_the_lease_has_run_out() {
    let (server, url) = private();
    let mut cluster = server.into_cluster();
    let run = starts_at(&url, &["--ttl", SHORT], &writes_until_its_end());
    run.waits_until_it_says("begun");
    cluster.stop(Shutdown::Immediate).expect("it stops");
    run.finish()
        .exits_with(76)
        .complains("job could not be renewed in time; the job is told to stop")
        .complains("could not give job back; it ends by itself within 4s");
}

#[test]
fn a_server_that_falls_silent_stops_the_command_and_its_deaf_children_in_time() {
    let (server, url) = private();
    let cluster = server.into_cluster();
    let run = starts_at(&url, &["--ttl", SHORT], DEAF);
    let (grandchild, job) = (
        run.waits_for_the_line("grandchild "),
        run.waits_for_the_line("job "),
    );
    // Its process group holds all that could answer.
    let postmaster = cluster.pid().expect("it runs").to_string();
    let all = || {
        [
            vec![postmaster.clone()],
            super::children_of(cluster.pid().expect("it runs")),
        ]
        .concat()
    };
    for process in all() {
        let _ = kill_process(pid(&process), Signal::STOP);
    }
    ends(&job);
    ends(&grandchild);
    for process in all() {
        let _ = kill_process(pid(&process), Signal::CONT);
    }
    run.finish().exits_with(76);
    wait_for("a free lease", || {
        lockaudit(&["lease", "check", "job", "-d", &url])
            .status
            .code()
            == Some(1)
    });
}

#[test]
fn one_session_that_falls_silent_is_replaced_by_another() {
    let db = prepared("silent");
    let run = starts(
        &db,
        &["--ttl", "40s", "--renew", "1s"],
        "echo begun; exec sleep 600",
    );
    run.waits_until_it_says("begun");
    let observer = db.session("observer");
    let sessions = "SELECT pid FROM pg_stat_activity WHERE application_name = 'lockaudit' AND datname = current_database()";
    let ours = observer.number(sessions).to_string();
    kill_process(pid(&ours), Signal::STOP).expect("it runs");
    run.waits_until_it_complains("no answer came within 5s");
    run.waits_until_it_complains("job is renewed again");
    kill_process(pid(&ours), Signal::CONT).expect("it is there still");
    run.signal(Signal::TERM);
    run.finish().exits_with(143);
    nobody_has_it(&db);
}

#[test]
fn a_server_that_turns_read_only_is_not_taken_for_a_loss() {
    let (server, url) = private();
    let run = starts_at(
        &url,
        &["--ttl", "60s", "--renew", "1s"],
        "echo begun; exec sleep 600",
    );
    run.waits_until_it_says("begun");
    let admin = server.admin();
    admin.runs("ALTER SYSTEM SET default_transaction_read_only = on");
    admin.runs("SELECT pg_reload_conf()");
    run.waits_until_it_complains("could not renew job, and goes on trying");
    admin.runs("SET default_transaction_read_only = off");
    admin.runs("ALTER SYSTEM RESET default_transaction_read_only");
    admin.runs("SELECT pg_reload_conf()");
    run.waits_until_it_complains("job is renewed again");
    run.signal(Signal::TERM);
    run.finish().exits_with(143);
}

/// Documented: only a token helps against a process that has left the group.
#[test]
fn a_process_that_leaves_the_group_is_not_stopped() {
    let db = prepared("escaped");
    let folder = tempfile::TempDir::new().expect("a folder");
    let told = folder.path().join("pid");
    let script = format!(
        "(setsid sh -c 'echo $$ > {0}.new; mv {0}.new {0}; exec sleep 600' >&- 2>&- &); echo begun; exec sleep 600",
        told.display()
    );
    let run = starts(&db, &["--ttl", SHORT], &script);
    run.waits_until_it_says("begun");
    wait_for("the process that leaves", || told.exists());
    broken(&db);
    run.finish().exits_with(76);
    let escaped = fs::read_to_string(&told).expect("it was written");
    assert!(is_alive(escaped.trim()));
    kill_process(pid(escaped.trim()), Signal::KILL).expect("it runs");
}

fn writes_until_its_end() -> String {
    "echo begun; while :; do sleep 0.01; done".to_owned()
}
