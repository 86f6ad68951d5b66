//! The lock table itself: full, fought for, or fed through one turnstile.

use serde_json::json;

use super::between_samples::Samples;
use crate::harness::{
    Database, Scan, Server, Session, fast_options, scan_with, wait_for, wait_for_some,
};

/// LA-074: of all who fill the table, the one to act on.
#[test]
fn the_session_that_fills_the_table_is_told_from_those_that_hold_a_little() {
    let options = fast_options()
        .max_connections(12)
        .setting("max_locks_per_transaction", "10");
    let server = Server::private(Server::any().cluster().installation(), options);
    let url = server.address().url();
    let size = Scan::of(&url, &[]).document["server"]["limits"]["lock_table_size"].as_i64();
    let most = size.expect("a size") * 9 / 10;
    let [small, large] =
        ["checkout", "per-entity"].map(|name| Session::open(&server.address(), name));
    small.runs("SELECT pg_advisory_lock(-i) FROM generate_series(1, 20) i");
    large.runs(&format!(
        "SELECT pg_advisory_lock(i) FROM generate_series(1, {most}) i"
    ));
    let scan = Scan::of(&url, &[]).exits_with(1);
    scan.finds("lock-table-pressure")
        .is("critical", "certain")
        .names(&[&large])
        .tells(&format!("{} advisory rows", most + 20))
        .tells(&format!("most of them: pid {} (per-entity", large.pid()))
        .tells("raise max_locks_per_transaction (needs a restart)");
    scan.finds("many-locks-one-session").names(&[&large]);
    large.runs("SELECT pg_advisory_unlock_all()");
    Scan::of(&url, &[]).is_silent_on("lock-table-pressure");
}

/// Locks and unlocks one key, shared, as fast as it can.
const HAMMER: &str = "DO $$ BEGIN LOOP
    PERFORM pg_advisory_lock_shared(1);
    PERFORM pg_advisory_unlock_shared(1);
END LOOP; END $$";

/// LA-075: many sessions lock and unlock all the time, and stand before one part of the table.
#[test]
fn sessions_that_stand_before_the_lock_table_are_counted() {
    let server = Server::private(Server::any().cluster().installation(), fast_options());
    let address = server.address();
    let hammers: Vec<Session> = (0..32)
        .map(|_| Session::open(&address, "rate-limit"))
        .collect();
    for hammer in &hammers {
        hammer.starts(HAMMER);
    }
    let found = wait_for_some("lock-manager-contention", || {
        let scan = Scan::of(&address.url(), &[]);
        scan.found("lock-manager-contention").pop()
    });
    let standing = found.pids().len();
    assert!((3..=32).contains(&standing), "{found}");
    let certainty = if standing >= 8 { "likely" } else { "possible" };
    found
        .is("warning", certainty)
        .tells(&format!(
            "{standing} sessions wait at this moment for the lock table itself"
        ))
        .tells("let it lock less");
}

/// LA-075, its near miss: as many sessions that wait for one key wait in its queue, not for the table.
#[test]
fn sessions_that_queue_for_a_key_do_not_stand_before_the_lock_table() {
    let db = Server::any().database("queue_only");
    let holder = db.session("holder");
    holder.idle_with(1);
    let waiters: Vec<Session> = (0..8).map(|_| db.session("waiter")).collect();
    for waiter in &waiters {
        waiter.waits_for(1);
    }
    scan_with(&db, &[]).is_silent_on("lock-manager-contention");
}

const IN_LINE: usize = 15;

/// The rules that would name the holder of the moment.
const STUCK: [&str; 4] = [
    "idle-holder",
    "idle-in-transaction-holder",
    "starved-pool",
    "pool-waits-on-itself",
];

/// Sessions that pass one key on, a short while each, for as long as they are open.
fn turnstile(db: &Database<'_>) -> Vec<Session> {
    let observer = db.session("harness");
    observer.runs(
        "CREATE PROCEDURE take_turns() LANGUAGE plpgsql AS $$ BEGIN LOOP
            PERFORM pg_advisory_xact_lock(1);
            PERFORM pg_sleep(0.05);
            COMMIT;
        END LOOP; END $$",
    );
    let workers: Vec<Session> = (0..IN_LINE).map(|_| db.session("task-insert")).collect();
    for worker in &workers {
        worker.starts("CALL take_turns()");
    }
    let standing = "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
        WHERE d.datname = current_database() AND locktype = 'advisory' AND NOT granted";
    wait_for("a full queue", || {
        observer.number(standing) == IN_LINE as i32 - 1
    });
    workers
}

/// On a machine that has other work, one worker may keep its turn from a sample to the next.
fn seen_in_turn(db: &Database<'_>) -> Scan {
    wait_for_some("other hands in every sample", || {
        let scan = scan_with(db, &["--samples", "4", "--interval", "120ms"]);
        (!scan.found("holder-churn").is_empty()).then_some(scan)
    })
}

/// LA-076: one key that all work goes through. Nobody is stuck, and ending the holder helps nobody.
#[test]
fn a_turnstile_is_told_from_a_stuck_holder_by_samples() {
    Server::each(|server| {
        let db = server.database("turnstile");
        let _workers = turnstile(&db);
        let scan = seen_in_turn(&db).exits_with(1);
        scan.finds("holder-churn")
            .is("info", "certain")
            .tells("in 4 samples")
            .tells(
                "end nobody: the lock is passed on; shorten the work under it, or split the key",
            );
        let found = scan.finds("blocked-waiters");
        found
            .is("warning", "certain")
            .tells("end no holder of a lock that is passed on");
        assert!(found.statements().is_empty(), "{found}");
        for rule in STUCK {
            scan.is_silent_on(rule);
        }
        assert_ne!(scan.document["summary"]["waiters"], json!(0));
    });
}

/// LA-076: the same with clients that do their work between two statements: at every look the holder
/// is idle in its transaction, and is not the one to blame.
#[test]
fn a_turnstile_of_idle_transactions_blames_nobody_in_it() {
    let db = Server::any().database("slow_clients");
    let workers: Vec<Session> = (0..4).map(|_| db.session("task-insert")).collect();
    workers[0].in_transaction_with(1);
    for worker in &workers[1..] {
        worker.waits_in_transaction_for(1);
    }
    let samples = Samples::of(&db, "3", &["--pool-size", "task-insert=4"]);
    for worker in &workers[..2] {
        samples.takes_one();
        worker.runs("COMMIT").waits_in_transaction_for(1);
    }
    let scan = samples.finish().exits_with(1);
    scan.finds("holder-churn").is("info", "certain");
    scan.finds("blocked-waiters").is("warning", "certain");
    for rule in STUCK {
        scan.is_silent_on(rule);
    }
    assert_eq!(scan.document["summary"]["severity"], "warning", "{scan}");
}
