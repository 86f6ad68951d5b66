//! `blocked-waiters` over other lock types: in the picture wherever an advisory lock has a part in
//! the tangle, and only there.

use serde_json::json;

use crate::harness::{Server, scan};

const RULE: &str = "blocked-waiters";

#[test]
fn a_holder_that_is_blocked_on_a_table_is_traced_to_the_tables_owner() {
    Server::each(|server| {
        let db = server.database("table_in_tangle");
        let (migration, sweep, api) = (
            db.session("migration"),
            db.session("sweep"),
            db.session("api"),
        );
        migration
            .runs("CREATE TABLE carts ()")
            .runs("BEGIN; LOCK TABLE carts");
        sweep.idle_with(1).is_blocked_in("SELECT FROM carts");
        api.waits_for(1);
        let scan = scan(&db);
        let wait = scan.wait_of(&sweep);
        assert_eq!(wait["target"], "relation public.carts", "{scan}");
        assert_eq!(
            wait["blocked_by"],
            json!([{"pid": migration.pid(), "gid": null}])
        );
        assert_eq!(
            scan.wait_of(&api)["blocked_by"][0]["pid"],
            sweep.pid(),
            "{scan}"
        );
        scan.finds(RULE)
            .is("critical", "certain")
            .names(&[&sweep, &api])
            .tells(&format!("behind pid {} (migration", migration.pid()))
            .tells("1 session waits for advisory locks, and 1 more for other locks");
    });
}

#[test]
fn a_root_that_holds_no_advisory_lock_can_be_ended_by_a_statement_too() {
    let db = Server::any().database("end_root");
    let (migration, sweep) = (db.session("migration"), db.session("sweep"));
    migration
        .runs("CREATE TABLE carts ()")
        .runs("BEGIN; LOCK TABLE carts");
    sweep.idle_with(1).is_blocked_in("SELECT FROM carts");
    let found = scan(&db).finds(RULE);
    found.tells(&format!("pid {} can go on then", sweep.pid()));
    let end = found.sql();
    let run = |sql: &str| db.server().admin().rows(sql);

    migration.runs("SELECT 1");
    assert_eq!(run(&end), [[Some("t".to_owned())]]);
    migration.is_gone();
    sweep.is_seen("idle", "state = 'idle'");

    let migration = db.session("migration");
    migration.runs("BEGIN; LOCK TABLE carts");
    sweep.is_blocked_in("SELECT FROM carts");
    let end = scan(&db).finds(RULE).sql();
    migration.runs("COMMIT; BEGIN");
    assert!(run(&end).is_empty(), "another transaction: {end}");
}

#[test]
fn a_prepared_root_that_holds_no_advisory_lock_is_told_by_its_global_id() {
    Server::each(|server| {
        let db = server.database("prepared_root");
        let (transfers, sweep) = (db.session("transfers"), db.session("sweep"));
        transfers
            .runs("CREATE TABLE carts ()")
            .runs("BEGIN; LOCK TABLE carts; PREPARE TRANSACTION 'transfer-18'");
        sweep.idle_with(1).is_blocked_in("SELECT FROM carts");
        let scan = scan(&db);
        let blocker = json!([{"pid": null, "gid": "transfer-18"}]);
        assert_eq!(scan.wait_of(&sweep)["blocked_by"], blocker, "{scan}");
        let found = scan.finds(RULE);
        found
            .is("critical", "certain")
            .tells("behind prepared transaction 'transfer-18'");
        transfers.runs(&found.sql());
        sweep.is_seen("idle", "state = 'idle'");
    });
}

#[test]
fn a_session_that_waits_for_the_table_of_an_idle_holder_is_in_the_tangle() {
    let db = Server::any().database("table_of_holder");
    let (holder, reader) = (db.session("sweep"), db.session("api"));
    holder
        .runs("CREATE TABLE carts ()")
        .in_transaction_with(1)
        .runs("LOCK TABLE carts");
    reader.is_blocked_in("SELECT FROM carts");
    let scan = scan(&db);
    scan.finds(RULE)
        .names(&[&reader])
        .tells("for other locks of sessions that hold advisory locks");
    let verdict = &scan.document["summary"]["verdict"];
    assert!(
        verdict
            .to_string()
            .contains("1 session waits for other locks"),
        "{verdict}"
    );
}

#[test]
fn a_session_that_waits_for_a_row_of_an_advisory_waiter_is_in_the_tangle() {
    let db = Server::any().database("row_in_tangle");
    let (holder, waiter, writer) = (db.session("sweep"), db.session("api"), db.session("writer"));
    holder
        .runs("CREATE TABLE carts AS SELECT 1 AS id")
        .idle_with(1);
    waiter.runs("BEGIN; UPDATE carts SET id = 2").waits_for(1);
    writer.is_blocked_in("UPDATE carts SET id = 3");
    let scan = scan(&db);
    assert_eq!(scan.wait_of(&writer)["locktype"], "transactionid", "{scan}");
    assert_eq!(scan.wait_of(&writer)["blocked_by"][0]["pid"], waiter.pid());
    scan.finds(RULE).names(&[&waiter, &writer]);
}

#[test]
fn an_index_build_that_waits_for_an_advisory_waiter_is_in_the_tangle() {
    Server::each(|server| {
        let db = server.database("index_build");
        let (holder, waiter, build) = (db.session("sweep"), db.session("api"), db.session("index"));
        holder.runs("CREATE TABLE carts (id int)").idle_with(1);
        waiter.waits_for(1);
        build.is_blocked_in("CREATE INDEX CONCURRENTLY ON carts (id)");
        let scan = scan(&db);
        let wait = scan.wait_of(&build);
        assert_eq!(wait["locktype"], "virtualxid", "{scan}");
        assert_eq!(
            wait["blocked_by"],
            json!([{"pid": waiter.pid(), "gid": null}]),
            "{scan}"
        );
        scan.finds(RULE)
            .names(&[&waiter, &build])
            .tells(&format!("behind pid {} (sweep", holder.pid()))
            .tells("2 sessions, 1 of them further back");
    });
}

#[test]
fn a_pair_that_waits_for_a_table_alone_is_nothing() {
    let db = Server::any().database("lone_table");
    let (migration, api, elsewhere) = (
        db.session("migration"),
        db.session("api"),
        db.session("sweep"),
    );
    migration
        .runs("CREATE TABLE carts ()")
        .runs("BEGIN; LOCK TABLE carts");
    api.is_blocked_in("SELECT FROM carts");
    elsewhere.idle_with(1);
    let scan = scan(&db);
    scan.is_silent_on(RULE);
    assert_eq!(scan.document["waits"], json!([]), "{scan}");
}
