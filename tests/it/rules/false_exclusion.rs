//! `false-exclusion`: a session's lock on a backend that a pooler lends to many.

use crate::harness::{Database, Lockaudit, PgBouncer, Pooling, Samples, Scan, Server, Session};
use crate::harness::{scan, wait_for};

const RULE: &str = "false-exclusion";

fn pooled(db: &Database<'_>) -> Option<PgBouncer> {
    PgBouncer::in_front_of(db.server(), &Pooling::by_transaction(1))
}

fn is_being_scanned(db: &Database<'_>) -> bool {
    db.server().admin().says(&format!(
        "SELECT EXISTS (SELECT FROM pg_stat_activity
         WHERE datname = '{}' AND application_name LIKE 'lockaudit%')",
        db.name()
    ))
}

#[test]
fn a_backend_that_changes_its_application_between_samples_is_likely_shared() {
    Server::each(|server| {
        let db = server.database("shared_backend");
        let Some(pooler) = pooled(&db) else { return };
        let (locks, borrows) = (
            pooler.session(&db, "billing"),
            pooler.session(&db, "report"),
        );
        let waiter = db.session("shipping");
        locks.idle_with(1);
        waiter.waits_for(1);
        let mut samples = Samples::of(&db);
        samples.take();
        borrows.runs("SELECT 1");
        samples.take();
        samples
            .judged()
            .exits_with(1)
            .finds(RULE)
            .is("critical", "likely")
            .names(&[&locks])
            .tells("`billing`, `report`")
            .tells("1 session waits for it")
            .tells("never server_reset_query_always");
        scan(&db).is_silent_on(RULE);
    });
}

#[test]
fn the_samples_of_one_run_tell_it_too() {
    let db = Server::any().database("one_run");
    let Some(pooler) = pooled(&db) else { return };
    let (locks, borrows) = (
        pooler.session(&db, "billing"),
        pooler.session(&db, "report"),
    );
    locks.idle_with(1);
    let url = db.url();
    let run = Lockaudit::new(&["scan", &url, "--samples", "20", "--interval", "100ms"]).start();
    wait_for("the scan", || is_being_scanned(&db));
    let mut turns = [&locks, &borrows].into_iter().cycle();
    wait_for("its end", || {
        // One client a turn: each is the latest borrower for about as long as the other.
        turns.next().expect("turns never end").runs("SELECT 1");
        !is_being_scanned(&db)
    });
    run.finish()
        .exits_with(1)
        .says("on a backend that 2 clients share");
}

#[test]
fn a_direct_session_that_keeps_its_name_shares_nothing() {
    let db = Server::any().database("own_backend");
    let (locks, other) = (db.session("billing"), db.session("report"));
    locks.idle_with(1);
    let mut samples = Samples::of(&db);
    samples.take();
    locks.runs("SELECT 1");
    other.runs("SELECT 1");
    samples.take();
    samples.judged().is_silent_on(RULE);
}

#[test]
fn a_name_from_before_the_lock_does_not_count() {
    let db = Server::any().database("renamed_before");
    let Some(pooler) = pooled(&db) else { return };
    let (before, locks): (Session, Session) = (
        pooler.session(&db, "report"),
        pooler.session(&db, "billing"),
    );
    let mut samples = Samples::of(&db);
    before.runs("SELECT 1");
    samples.take();
    locks.idle_with(1);
    samples.take();
    let scan: Scan = samples.judged();
    scan.is_silent_on(RULE);
    scan.finds("idle-holder");
}
