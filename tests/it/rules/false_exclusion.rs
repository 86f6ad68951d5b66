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
fn clients_that_lock_by_the_transaction_on_one_connection_exclude_each_other() {
    let db = Server::any().database("by_transaction");
    let Some(pooler) = pooled(&db) else { return };
    let clients = ["billing", "report", "shipping"].map(|name| pooler.session(&db, name));
    let mut samples = Samples::of(&db);
    for client in &clients {
        client.in_transaction_with(1);
        samples.take();
        client.runs("COMMIT");
    }
    let scan = samples.judged();
    scan.is_silent_on(RULE);
    assert_eq!(scan.document["locks"][0]["scope"], "unknown", "{scan}");
}

#[test]
fn clients_of_a_pool_by_session_that_lock_one_after_the_other_are_never_certain() {
    let db = Server::any().database("by_session");
    let Some(pooler) = PgBouncer::in_front_of(db.server(), &Pooling::by_session(1)) else {
        return;
    };
    let mut samples = Samples::of(&db);
    for name in ["job 1", "job 2", "job 3"] {
        let job = pooler.session(&db, name);
        job.idle_with(1);
        samples.take();
        drop(job);
    }
    samples
        .judged()
        .finds(RULE)
        .is("critical", "likely")
        .tells("in a pool by session");
}

/// Six clients over three connections, as measured: names go round, on neighbours too.
#[test]
fn names_that_go_round_a_pool_are_told_with_those_of_its_neighbours() {
    let db = Server::any().database("go_round");
    let Some(pooler) = PgBouncer::in_front_of(db.server(), &Pooling::by_transaction(3)) else {
        return;
    };
    let clients: Vec<Session> = (0..6)
        .map(|number| pooler.session(&db, &format!("svc{number}")))
        .collect();
    let holder = &clients[0];
    // All three connections are open, so that the lock's is one of them.
    let (first, second) = (&clients[1], &clients[2]);
    first.runs("BEGIN");
    second.runs("BEGIN");
    let backend = holder.number("SELECT pg_backend_pid()");
    holder.idle_with(1);
    first.runs("COMMIT");
    second.runs("COMMIT");
    let mut samples = Samples::of(&db);
    samples.take();
    for turn in [3, 4] {
        let busy: Vec<&Session> = (0..3).map(|step| &clients[(turn + step) % 6]).collect();
        busy.iter().for_each(|client| {
            client.runs("BEGIN").runs("SELECT 1");
        });
        busy.iter().for_each(|client| {
            client.runs("COMMIT");
        });
        samples.take();
    }
    let scan = samples.judged();
    let found = scan.finds(RULE);
    found
        .is("critical", "likely")
        .tells("changed their application_name between samples")
        .tells("latest borrower's, not the owner's");
    assert_eq!(scan.document["locks"][0]["pid"], backend);
    scan.finds("idle-holder")
        .tells("its clients go on over another")
        .tells("RECONNECT");
}

#[test]
fn a_direct_program_that_renames_itself_is_a_remark() {
    let db = Server::any().database("renames_itself");
    let worker = db.session("step 1");
    worker.idle_with(1);
    let mut samples = Samples::of(&db);
    samples.take();
    worker.runs("SET application_name = 'step 2'");
    samples.take();
    samples
        .judged()
        .finds(RULE)
        .is("info", "possible")
        .tells("it may be one program");
}

#[test]
fn a_leader_that_works_on_its_locks_connection_excludes_truly() {
    let db = Server::any().database("leads");
    let leader = db.session_over_tcp("leader");
    leader.idle_with(1);
    let mut samples = Samples::of(&db);
    for number in 0..4 {
        leader.runs(&format!("SELECT {number} AS job"));
        samples.take();
    }
    let scan = samples.judged();
    scan.is_silent_on(RULE);
    scan.finds("idle-holder").keeps_quiet_about("pooler");
}

#[test]
fn a_client_of_a_pool_by_session_excludes_truly() {
    let db = Server::any().database("by_session");
    let Some(pooler) = PgBouncer::in_front_of(db.server(), &Pooling::by_session(2)) else {
        return;
    };
    let client = pooler.session(&db, "billing");
    client.idle_with(1);
    let url = pooler.address_of(&db).url();
    for scan in [scan(&db), Scan::of(&url, &["--database", db.name()])] {
        scan.is_silent_on(RULE);
        scan.finds("idle-holder");
    }
}

#[test]
fn an_idle_psql_is_nobodys_pooler() {
    let db = Server::any().database("own_psql");
    let session = db.session("psql");
    session.idle_with(1).runs("SELECT now()");
    let scan = scan(&db);
    scan.is_silent_on(RULE);
    scan.finds("idle-holder").keeps_quiet_about("pooler");
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
