//! `hidden-deadlock`: a wait for a transaction that never ends, which no deadlock check can see.

use crate::harness::{Database, Server, Session, scan};

const RULE: &str = "hidden-deadlock";
const BUILD: &str = "CREATE INDEX CONCURRENTLY ON carts (id)";

fn with_a_table(db: &Database<'_>, name: &str) -> Session {
    let session = db.session(name);
    session.runs("CREATE TABLE carts (id int)");
    session
}

#[test]
fn an_index_build_of_the_holders_own_program_is_likely_in_a_circle() {
    Server::each(|server| {
        let db = server.database("own_program");
        let lock = with_a_table(&db, "migrate");
        let (build, waiter) = (db.session("migrate"), db.session("replica-2"));
        lock.idle_with(72_707_369);
        waiter.waits_for(72_707_369);
        build.is_blocked_in(BUILD);
        scan(&db)
            .exits_with(1)
            .finds(RULE)
            .is("critical", "likely")
            .names(&[&lock, &build, &waiter])
            .tells(BUILD)
            .tells(&format!("pid {} in the way", waiter.pid()));
    });
}

#[test]
fn an_index_build_of_another_program_is_possibly_in_a_circle() {
    let db = Server::any().database("other_program");
    let lock = with_a_table(&db, "sweep");
    let (build, waiter) = (db.session("migrate"), db.session("sweep"));
    lock.idle_with(1);
    waiter.waits_for(1);
    build.is_blocked_in(BUILD);
    scan(&db).finds(RULE).is("critical", "possible");
}

#[test]
fn an_index_build_behind_a_holder_at_work_may_yet_go_on() {
    let db = Server::any().database("holder_works");
    let lock = with_a_table(&db, "sweep");
    let (build, waiter) = (db.session("migrate"), db.session("api"));
    lock.works_with(1);
    waiter.waits_for(1);
    build.is_blocked_in(BUILD);
    let scan = scan(&db);
    scan.is_silent_on(RULE);
    scan.finds("blocked-waiters");
}

#[test]
fn an_index_build_that_nobody_keeps_waiting_is_nothing() {
    let db = Server::any().database("free_build");
    let lock = with_a_table(&db, "migrate");
    let (build, waiter) = (db.session("migrate"), db.session("replica-2"));
    lock.idle_with(1);
    build.runs(BUILD);
    waiter.waits_for(1);
    scan(&db).is_silent_on(RULE);
}

#[test]
fn an_index_build_that_waits_for_a_long_transaction_waits_for_no_advisory_lock() {
    let db = Server::any().database("long_report");
    let lock = with_a_table(&db, "migrate");
    let (report, build) = (db.session("report"), db.session("migrate"));
    lock.idle_with(1);
    report.runs("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM carts");
    build.is_blocked_in(BUILD);
    scan(&db).is_silent_on(RULE).is_silent_on("blocked-waiters");
}

#[test]
fn an_index_build_behind_a_transaction_that_rests_with_a_lock_is_possibly_in_a_circle() {
    let db = Server::any().database("rests_with_lock");
    let transfer = with_a_table(&db, "transfer");
    let build = db.session("migrate");
    transfer
        .in_transaction_with(1)
        .runs("INSERT INTO carts VALUES (1)");
    build.is_blocked_in(BUILD);
    scan(&db)
        .finds(RULE)
        .is("critical", "possible")
        .names(&[&transfer, &build])
        .tells("if its program does not wait for");
}

#[test]
fn a_writer_that_waits_for_the_row_of_a_waiter_builds_no_index() {
    let db = Server::any().database("row_of_waiter");
    let holder = with_a_table(&db, "sweep");
    let (waiter, writer) = (db.session("api"), db.session("sweep"));
    holder.runs("INSERT INTO carts VALUES (1)").idle_with(1);
    waiter.runs("BEGIN; UPDATE carts SET id = 2").waits_for(1);
    writer.is_blocked_in("UPDATE carts SET id = 3");
    scan(&db)
        .finds(RULE)
        .is("critical", "likely")
        .names(&[&holder, &waiter, &writer])
        .keeps_quiet_about("index");
}
