//! What `lease run` answers with, what the command finds, and who gets the lease.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;

use super::{SHORT, nobody_has_it, prepared, prepared_on, runs, somebody_has_it, starts};
use crate::harness::{Lockaudit, PgBouncer, Pooling, Server, Session, lockaudit, wait_for};

#[test]
fn the_status_is_the_command_s_own() {
    Server::each(|server| {
        let db = prepared_on(server, "status");
        for status in [0, 1, 7, 75, 255] {
            runs(&db, &[], &format!("exit {status}"))
                .exits_with(status)
                .without_complaint();
        }
        runs(&db, &[], "kill -TERM $$").exits_with(143);
        runs(&db, &[], "kill -KILL $$").exits_with(137);
        nobody_has_it(&db);
    });
}

#[test]
fn a_command_that_cannot_be_run_has_the_status_that_a_shell_would_give_and_the_lease_is_free_again()
{
    let db = prepared("cannot");
    let command =
        |command: &str| lockaudit(&["lease", "run", "job", "-d", &db.url(), "--", command]);
    command("no-such-command")
        .exits_with(127)
        .complains("could not execute `no-such-command`: No such file");
    command("/etc/passwd")
        .exits_with(126)
        .complains("could not execute `/etc/passwd`: Permission denied");
    nobody_has_it(&db);
}

#[test]
fn a_failure_of_lockaudit_itself_is_125() {
    let db = prepared("own");
    let url = db.url();
    for (words, why) in [
        (
            &[
                "job", "-d", &url, "--ttl", "20s", "--renew", "15s", "--", "true",
            ][..],
            "--renew 15s is too rare",
        ),
        (&["job", "-d", &url, "--", "true", "--no-such-flag"], ""),
        (
            &["job", "-d", &url, "--no-such-flag", "--", "true"],
            "--no-such-flag",
        ),
        (&["job", "-d", &url], "COMMAND"),
        (
            &["job", "-d", &url, "-n", "-w", "1s", "--", "true"],
            "--wait",
        ),
        (
            &["job", "-h", "/nowhere", "--", "true"],
            "there is no such socket file",
        ),
        (
            &["job", "-d", &url, "--table", "elsewhere", "--", "true"],
            "`lockaudit lease init`",
        ),
    ] {
        let outcome = lockaudit(&[&["lease", "run"], words].concat());
        if why.is_empty() {
            outcome.succeeds();
        } else {
            outcome.exits_with(125).complains(why);
        }
    }
    lockaudit(&["lease", "run", "--help"])
        .succeeds()
        .says("somebody else has the lease, 76");
}

#[test]
fn the_command_finds_its_lease_and_can_check_it() {
    let db = prepared("found");
    let lockaudit = env!("CARGO_BIN_EXE_lockaudit");
    let check = format!(
        "{lockaudit} lease check -d '{}' && echo $LOCKAUDIT_LEASE_TTL",
        db.url()
    );
    runs(&db, &["--ttl", "20s"], &check)
        .succeeds()
        .says("job: ")
        .says("has it under token")
        .says("\n20s\n");
}

#[test]
fn the_log_has_the_command_s_name_and_not_its_arguments() {
    let db = prepared("logged");
    runs(&db, &[], ": --password=s3cret; exit 3").exits_with(3);
    let history = ["lease", "history", "job", "-d", &db.url()];
    lockaudit(&history)
        .succeeds()
        .says(" sh\n")
        .says(" status 3\n")
        .keeps_quiet_about("s3cret");
    runs(&db, &["--reason", "by hand"], "exit 0").succeeds();
    lockaudit(&history).says(" by hand\n");
}

#[test]
fn stdin_is_the_command_s() {
    let db = prepared("stdin");
    Lockaudit::new(&super::words(&db.url(), &[], "cat; echo end"))
        .stdin("one\ntwo\n")
        .run()
        .succeeds()
        .says("one\ntwo\nend\n");
}

#[test]
fn who_does_not_get_the_lease_runs_nothing() {
    let db = prepared("taken");
    let holder = starts(&db, &[], "echo begun; exec sleep 600");
    holder.waits_until_it_says("begun");
    for (options, status) in [
        (&["-n"][..], 75),
        (&["-n", "-E", "9"], 9),
        (&["-w", "100ms"], 75),
        (&["-w", "0s", "-E", "0"], 0),
    ] {
        runs(&db, options, "echo begun too")
            .exits_with(status)
            .complains("not granted: ")
            .keeps_quiet_about("begun too");
    }
    holder.signal(rustix::process::Signal::TERM);
    holder.finish().exits_with(143);
    runs(&db, &["-n"], "echo begun").succeeds().says("begun");
}

#[test]
fn who_waits_gets_the_lease_when_it_is_given_back() {
    let db = prepared("waits");
    let holder = starts(&db, &[], "echo begun; exec sleep 600");
    holder.waits_until_it_says("begun");
    let waiter = starts(&db, &[], "echo mine");
    waiter.waits_until_it_complains("waiting; not granted: ");
    holder.signal(rustix::process::Signal::TERM);
    holder.finish().exits_with(143);
    waiter.finish().succeeds().says("mine");
}

/// How often the waiter has looked at least, as its session shows.
fn looks(observer: &Session, seen: &mut BTreeSet<String>) -> usize {
    let last = "SELECT state_change FROM pg_stat_activity WHERE application_name = 'lockaudit' \
                AND datname = current_database() AND state = 'idle' AND query LIKE '%l.holder%'";
    let rows = observer.rows(last);
    seen.extend(rows.into_iter().flatten().flatten());
    seen.len()
}

const LISTENERS: &str = "SELECT count(*) FROM pg_stat_activity WHERE query = 'LISTEN lockaudit_lease' \
                         AND datname = current_database()";

/// By now it looks every three seconds and more.
#[test]
fn who_waits_on_a_session_of_its_own_hears_at_once_that_the_lease_was_given_back() {
    let db = prepared("hears");
    let take = ["lease", "take", "job", "-d", &db.url(), "--holder", "me"];
    lockaudit(&take).succeeds();
    let waiter = Lockaudit::new(&super::words(&db.url_over_tcp(), &[], "echo mine")).start();
    let observer = db.session("observer");
    wait_for("a session that listens", || observer.number(LISTENERS) == 1);
    let mut seen = BTreeSet::new();
    wait_for("three more looks", || looks(&observer, &mut seen) >= 3);
    let token = observer.rows("SELECT token FROM lockaudit_lease").concat();
    let token = token[0].clone().expect("it was granted");
    let release = [
        "lease",
        "release",
        "job",
        "-d",
        &db.url(),
        "--holder",
        "me",
        "--token",
        &token,
    ];
    lockaudit(&release).succeeds();
    waiter.finish().succeeds().says("mine");
    let soon = "SELECT max(at) FILTER (WHERE event = 'granted') - min(at) FILTER (WHERE event = 'released') \
                < interval '2 s' FROM lockaudit_lease_log";
    assert_eq!(observer.rows(soon), [[Some("t".to_owned())]]);
}

#[test]
fn nobody_listens_on_a_session_that_a_pooler_shares() {
    let server = Server::any();
    let db = prepared_on(server, "shared");
    let Some(pooler) = PgBouncer::in_front_of(server, &Pooling::by_transaction(1)) else {
        return;
    };
    let take = ["lease", "take", "job", "-d", &db.url(), "--holder", "me"];
    lockaudit(&take).succeeds();
    let url = pooler.address_of(&db).over_tcp().url();
    let waiter = Lockaudit::new(&super::words(&url, &[], "echo mine")).start();
    let observer = db.session("observer");
    let mut seen = BTreeSet::new();
    wait_for("two looks", || {
        assert_eq!(observer.number(LISTENERS), 0);
        looks(&observer, &mut seen) >= 2
    });
    let breaks = ["lease", "break", "job", "-d", &db.url(), "--reason", "test"];
    lockaudit(&breaks).succeeds();
    waiter.finish().succeeds().says("mine");
}

#[test]
fn of_several_hosts_the_one_that_takes_writes_is_asked() {
    let server = Server::any();
    let db = prepared_on(server, "hosts");
    let port = server.cluster().port();
    let hosts = format!(
        "postgresql://postgres@127.0.0.1:1,127.0.0.1:{port}/{}",
        db.name()
    );
    Lockaudit::new(&super::words(&hosts, &[], "exit 4"))
        .run()
        .exits_with(4);
    nobody_has_it(&db);
}

#[test]
fn who_waits_gets_the_lease_of_one_that_was_killed_once_it_has_run_out() {
    let db = prepared("crashed");
    let taken = ["lease", "take", "job", "-d", &db.url(), "--ttl", "1s"];
    lockaudit(&taken).succeeds();
    runs(&db, &[], "echo mine").succeeds().says("mine");
}

/// The row is locked while it is asked for: the grant comes when nobody listens to that connection any more.
#[test]
fn who_waits_and_is_not_told_of_its_grant_asks_again_and_does_not_wait_for_itself() {
    let db = prepared("untold");
    lockaudit(&["lease", "take", "job", "-d", &db.url()]).succeeds();
    let ender = db.session("ender");
    ender.runs("BEGIN");
    ender.runs("UPDATE lockaudit_lease SET expires_at = clock_timestamp()");
    let locker = db.session("locker");
    locker.runs("BEGIN");
    locker.is_blocked_in("SELECT FROM lockaudit_lease FOR UPDATE");
    let waiter = starts(&db, &["--ttl", "12s", "--wait", "11s"], "echo mine");
    waiter.waits_until_it_complains("waiting; not granted: ");
    ender.runs("COMMIT");
    waiter.waits_until_it_complains("could not learn whether job is free");
    locker.runs("ROLLBACK");
    waiter.finish().succeeds().says("mine");
}

#[test]
fn a_lease_outlives_its_time_to_live_while_the_command_runs() {
    let db = prepared("renewed");
    let renewed = "SELECT expires_at > taken_at + 2 * ttl FROM lockaudit_lease";
    let run = starts(&db, &["--ttl", SHORT], "echo begun; exec sleep 600");
    run.waits_until_it_says("begun");
    let observer = db.session("observer");
    wait_for("renewals beyond two lives of the lease", || {
        observer.rows(renewed) == [[Some("t".to_owned())]]
    });
    somebody_has_it(&db);
    run.signal(rustix::process::Signal::TERM);
    run.finish().exits_with(143).without_complaint();
}

#[test]
fn it_works_through_a_transaction_mode_pooler_of_one_connection() {
    let server = Server::any();
    let db = prepared_on(server, "pooled");
    let Some(pooler) = PgBouncer::in_front_of(server, &Pooling::by_transaction(1)) else {
        return;
    };
    let url = pooler.address_of(&db).url();
    let renewed = "SELECT expires_at > taken_at + 2 * ttl FROM lockaudit_lease";
    let run = Lockaudit::new(&super::words(
        &url,
        &["--ttl", SHORT],
        "echo begun; exec sleep 600",
    ));
    let run = run.start();
    run.waits_until_it_says("begun");
    let observer = db.session("observer");
    wait_for("renewals beyond two lives of the lease", || {
        observer.rows(renewed) == [[Some("t".to_owned())]]
    });
    run.signal(rustix::process::Signal::TERM);
    run.finish().exits_with(143).without_complaint();
    nobody_has_it(&db);
}

#[test]
fn a_killed_run_is_seen_as_killed() {
    let db = prepared("killed");
    let run = starts(&db, &[], "echo begun; exec sleep 600");
    run.waits_until_it_says("begun");
    run.signal(rustix::process::Signal::KILL);
    assert_eq!(run.finish().status.signal(), Some(9));
}
