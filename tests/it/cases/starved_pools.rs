//! Pools whose connections all hold locks, one a unit of work, while the work waits for a connection.

use serde_json::json;

use crate::harness::{Database, Marks, Server, Session, lockaudit, scan, scan_with};

/// As many units of work, each at rest in a transaction with a key of its own.
fn runs(db: &Database<'_>, application: &str, number: i32) -> Vec<Session> {
    let sessions: Vec<Session> = (0..number).map(|_| db.session(application)).collect();
    for (session, key) in sessions.iter().zip(1..) {
        session.in_transaction_with((3_000, key));
    }
    sessions
}

/// LA-077: twenty runs, twenty locks, twenty connections: nobody waits in the database.
#[test]
fn twenty_transactions_with_a_key_each_starve_their_pool_of_twenty() {
    Server::each(|server| {
        let db = server.database("workflows");
        let sessions = runs(&db, "workflow", 20);
        let all: Vec<&Session> = sessions.iter().collect();
        let scan = scan_with(&db, &["--pool-size", "workflow=20"]).exits_with(1);
        assert_eq!(scan.rules()[0], "starved-pool", "{scan}");
        let found = scan.finds("starved-pool");
        found
            .is("critical", "certain")
            .names(&all)
            .tells("20 of its 20 connections hold advisory locks and do nothing")
            .tells("20 of them are idle in a transaction")
            .tells("its transaction is rolled back");
        assert_eq!(found.keys(), 20);
        assert_eq!(scan.document["waits"], json!([]));
        scan.is_silent_on("blocked-waiters");

        let scan = self::scan(&db).exits_with(1);
        scan.finds("starved-pool")
            .is("warning", "likely")
            .tells("--pool-size 'workflow=20'");
    });
}

/// LA-077, what the operator reads first, and the way out that it gives.
#[test]
fn the_statement_given_ends_one_run_and_the_pool_has_a_connection_again() {
    let db = Server::any().database("way_out");
    let sessions = runs(&db, "workflow", 3);
    let scan = scan_with(&db, &["--pool-size", "workflow=3"]);
    let sql = scan.finds("starved-pool").sql();
    assert_eq!(db.session("operator").rows(&sql).len(), 1, "{sql}");
    sessions[0].is_gone();
    let _next = db.session("workflow");
    scan_with(&db, &["--pool-size", "workflow=3"]).is_silent_on("starved-pool");
}

/// LA-078: locks and work share one pool. A larger pool moves the point at which it stops.
#[test]
fn one_connection_more_than_holders_is_enough_until_there_is_one_holder_more() {
    let db = Server::any().database("shared_pool");
    let mut sessions = runs(&db, "checks", 10);
    let scan = |size: &str| scan_with(&db, &["--pool-size", size]);
    scan("checks=10")
        .finds("starved-pool")
        .is("critical", "certain")
        .tells("fewer locks at once than the pool has connections");
    scan("checks=11").is_silent_on("starved-pool");
    let eleventh = db.session("checks");
    eleventh.in_transaction_with((3_000, 11));
    sessions.push(eleventh);
    scan("checks=11")
        .finds("starved-pool")
        .is("critical", "certain")
        .names(&sessions.iter().collect::<Vec<_>>());
}

/// LA-080: a pool of one. It looks like any idle transaction unless the scan is told its size.
#[test]
fn a_migration_that_holds_the_only_connection_starves_a_pool_of_one() {
    Server::each(|server| {
        let db = server.database("pool_of_one");
        let migration = runs(&db, "automation", 1);
        let scan = scan_with(&db, &["--pool-size", "automation=1"]).exits_with(1);
        scan.finds("starved-pool")
            .is("critical", "certain")
            .names(&[&migration[0]])
            .tells("1 of its 1 connection holds an advisory lock and does nothing");
        scan.finds("idle-in-transaction-holder")
            .is("critical", "certain");

        let scan = scan_with(&db, &["--idle-after", "0s"]);
        scan.is_silent_on("starved-pool");
        scan.finds("idle-in-transaction-holder")
            .is("warning", "certain");
        scan_with(&db, &["--pool-size", "automation=2"]).is_silent_on("starved-pool");
    });
}

/// LA-081: a shared and an exclusive lock on a connection each, and a third one to do the work.
#[test]
fn requests_that_hold_two_connections_each_starve_the_pool_at_half_its_size() {
    let db = Server::any().database("two_each");
    let sessions: Vec<Session> = (0..4).map(|_| db.session("cache")).collect();
    for request in 0..2_i32 {
        let at = usize::try_from(request).expect("it counts up") * 2;
        sessions[at].idle_sharing((1, 0));
        sessions[at + 1].idle_with((2, request));
    }
    scan_with(&db, &["--pool-size", "cache=4"])
        .finds("starved-pool")
        .is("critical", "certain")
        .names(&sessions.iter().collect::<Vec<_>>())
        .tells("key (1, 0)")
        .tells("key (2, 1)");
    scan_with(&db, &["--pool-size", "cache=5"]).is_silent_on("starved-pool");
    let third = db.session("cache");
    third.works();
    scan(&db).is_silent_on("starved-pool");
}

/// LA-082: every connection is taken, and no lock has anything to do with it.
#[test]
fn a_pool_that_is_stuck_without_a_lock_is_not_put_down_to_locks() {
    let db = Server::any().database("no_lock");
    let sessions: Vec<Session> = (0..4).map(|_| db.session("runs")).collect();
    for session in &sessions[..2] {
        session.runs("BEGIN").runs("SELECT 1");
    }
    let scan = scan_with(&db, &["--pool-size", "runs=4", "--idle-after", "0s"]).exits_with(0);
    assert!(scan.trouble().is_empty(), "{scan}");
    let verdict = scan.document["summary"]["verdict"].as_str();
    let quiet = "no advisory lock is held or waited for";
    assert!(
        verdict.is_some_and(|verdict| verdict.starts_with(quiet)),
        "{scan}"
    );
}

/// LA-082: nor are those connections to blame that hold none beside some that do.
#[test]
fn an_idle_transaction_without_a_lock_is_not_counted_as_pinned() {
    let db = Server::any().database("mixed");
    let sessions = runs(&db, "runs", 3);
    let without = db.session("runs");
    without.runs("BEGIN").runs("SELECT 1");
    let scan = scan_with(&db, &["--pool-size", "runs=4"]);
    scan.is_silent_on("starved-pool");
    assert_eq!(
        scan.found("idle-in-transaction-holder").len(),
        sessions.len()
    );
}

/// LA-077 on the screen: the pool comes before its members.
#[test]
fn the_screen_of_a_pool_starved_by_idle_transactions_is_as_committed() {
    let server = Server::any();
    let db = server.database("screen");
    // The screen has every pool of a known size, in whichever database.
    let _sessions = runs(&db, "saga", 2);
    let pool = ["--pool-size", "saga=2"];
    let outcome = lockaudit(&[&["scan", &db.url(), "--database", db.name()], &pool[..]].concat())
        .exits_with(1)
        .without_complaint();
    let version = server
        .admin()
        .value("SHOW server_version")
        .expect("a version");
    let build = version.trim_start_matches(server.version());
    let screen = Marks::of(&outcome.stdout)
        .replacing(db.name(), "<database>")
        .replacing(
            &format!("('advisory', {},", db.oid()),
            "('advisory', <oid>,",
        );
    insta::assert_snapshot!(screen.replacing(build, ""));
}
