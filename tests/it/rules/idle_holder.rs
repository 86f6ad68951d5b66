//! `idle-holder`: outside any transaction, with a lock, and at rest.

use std::io::Write;
use std::process::Stdio;

use crate::harness::{Key, Server, items, scan, scan_with, wait_for_some};

#[test]
fn an_idle_holder_is_a_remark_at_first_and_a_warning_later() {
    Server::each(|server| {
        let db = server.database("idle");
        let holder = db.session("sweeper");
        holder.idle_with(42);
        scan_with(&db, &["--idle-after", "1h"])
            .exits_with(0)
            .finds("idle-holder")
            .is("info", "certain")
            .names(&[&holder]);
        scan_with(&db, &["--idle-after", "0s"])
            .exits_with(1)
            .finds("idle-holder")
            .is("warning", "certain")
            .names(&[&holder])
            .tells(&format!("key 42 in {}", db.name()));
    });
}

#[test]
fn a_waiter_makes_an_idle_holder_critical_however_short_it_idles() {
    Server::each(|server| {
        let db = server.database("idle_waiter");
        let (holder, waiter) = (db.session("sweeper"), db.session("checkout"));
        holder.idle_with(42);
        waiter.waits_for(42);
        scan_with(&db, &["--idle-after", "1h"])
            .exits_with(1)
            .finds("idle-holder")
            .is("critical", "certain")
            .names(&[&holder])
            .tells(&format!("pid {} can go on then", waiter.pid()));
    });
}

#[test]
fn a_lock_that_was_given_back_is_nothing() {
    let db = Server::any().database("given_back");
    let session = db.session("sweeper");
    session
        .idle_with(42)
        .runs("SELECT pg_advisory_unlock(42)")
        .in_transaction_with(43)
        .runs("COMMIT");
    let scan = scan_with(&db, &["--idle-after", "0s"]).exits_with(0);
    assert!(scan.trouble().is_empty(), "{scan}");
    assert_eq!(scan.document["locks"], serde_json::json!([]));
}

#[test]
fn a_lock_taken_twice_and_given_back_once_is_still_held() {
    let db = Server::any().database("twice");
    let session = db.session("sweeper");
    session
        .idle_with(42)
        .idle_with(42)
        .runs("SELECT pg_advisory_unlock(42)");
    scan(&db).finds("idle-holder").names(&[&session]);
}

#[test]
fn a_holder_at_work_is_no_idle_holder() {
    let db = Server::any().database("at_work");
    let holder = db.session("sweeper");
    holder.works_with(42);
    let scan = scan_with(&db, &["--idle-after", "0s"]);
    scan.is_silent_on("idle-holder");
    assert_eq!(scan.lock_of(&holder)["granted"], true);
}

#[test]
fn a_holder_that_waits_for_another_key_is_not_idle() {
    let db = Server::any().database("holds_and_waits");
    let (first, second) = (db.session("first"), db.session("second"));
    first.idle_with(1);
    second.idle_with(2).waits_for(1);
    let scan = scan(&db);
    scan.finds("idle-holder").names(&[&first]);
}

#[test]
fn one_session_with_several_locks_is_one_finding() {
    let db = Server::any().database("several");
    let holder = db.session("sweeper");
    holder.idle_with(42).idle_with_pair(42, 42).idle_sharing(42);
    let scan = scan(&db);
    let found = scan.finds("idle-holder");
    found.tells("exclusive").tells("shared").tells("(42, 42)");
    assert_eq!(found.keys(), 2);
}

#[test]
fn the_last_statement_is_not_called_the_one_that_locked() {
    let db = Server::any().database("last_statement");
    let holder = db.session("sweeper");
    holder.idle_with(42).runs("SELECT 'hosted_mocks'");
    scan(&db)
        .finds("idle-holder")
        .tells("last statement (need not be the one that locked): SELECT 'hosted_mocks'");
    scan_with(&db, &["--query", "none"])
        .finds("idle-holder")
        .keeps_quiet_about("hosted_mocks");
}

#[test]
fn a_session_that_is_not_tracked_is_likely_idle() {
    let db = Server::any().database("untracked");
    let holder = db.session("sweeper");
    holder.runs("SET track_activities = off").idle_with(42);
    let scan = scan_with(&db, &["--idle-after", "0s"]);
    scan.finds("idle-holder").is("warning", "likely");
    assert_eq!(scan.lock_of(&holder)["scope"], "session");
    assert!(scan.blind_spots().contains(&"untracked-sessions"), "{scan}");
    scan.finds("limited-visibility")
        .is("warning", "certain")
        .tells("does is not known")
        .keeps_quiet_about("hidden from role");
}

#[test]
fn the_call_that_unlocks_is_that_of_the_mode_held() {
    let db = Server::any().database("unlock_of_mode");
    let (alone, both) = (db.session("shared"), db.session("both"));
    alone.runs("SELECT pg_advisory_lock_shared(-1)");
    both.runs("SELECT pg_advisory_lock(2), pg_advisory_lock_shared(2)");
    let unlocks: Vec<String> = items(&scan(&db).document["findings"])
        .filter(|finding| finding["rule"] == "idle-holder")
        .map(|finding| finding["keys"][0]["unlock"].to_string())
        .collect();
    assert!(
        unlocks.contains(&"\"pg_advisory_unlock_shared(-1)\"".to_owned()),
        "{unlocks:?}"
    );
    assert!(unlocks.contains(&"null".to_owned()), "{unlocks:?}");
}

#[test]
fn of_equally_bad_holders_the_longest_idle_comes_first() {
    let db = Server::any().database("equally_bad");
    let holders: Vec<_> = (0..8).map(|_| db.session("sweeper")).collect();
    for (holder, key) in holders.iter().rev().zip(1..) {
        holder.idle_with(key);
    }
    let scan = scan_with(&db, &["--idle-after", "0s"]);
    let found = scan.found("idle-holder");
    for (found, holder) in found.iter().zip(holders.iter().rev()) {
        found.names(&[holder]);
    }
    assert_eq!(found.len(), holders.len());
}

#[test]
fn a_holder_over_the_replication_protocol_is_an_idle_holder_too() {
    let server = Server::any();
    if !server.cluster().installation().has_clients() {
        return;
    }
    let db = server.database("walsender");
    let address = server.cluster().connection_string(db.name(), "postgres");
    let mut psql = server
        .cluster()
        .command("psql")
        .args(["-Xq", &format!("{address} replication=database")])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("psql can be started");
    let mut stdin = psql.stdin.take().expect("stdin is a pipe");
    stdin
        .write_all(b"SELECT pg_advisory_lock(42);\n")
        .expect("psql reads");
    let key = Key::single(42).in_pg_locks();
    let idle = format!(
        "SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
          WHERE {key} AND granted AND state = 'idle' AND datname = '{}'",
        db.name()
    );
    let pid = wait_for_some("the lock of a walsender", || server.admin().value(&idle));
    let scan = scan_with(&db, &["--idle-after", "1h"]);
    scan.finds("idle-holder")
        .is("info", "certain")
        .tells(&format!(
            "pid {pid} (psql, postgres@{}, walsender)",
            db.name()
        ));
    drop(stdin);
    psql.wait().expect("psql ends with its input");
}
