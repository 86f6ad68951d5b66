//! The incident without a waiter row: every connection of an instance's pool holds a lock and does
//! nothing, and whatever would go on waits inside the application.

use crate::harness::{Database, Server, Session, scan_with};

const NAME: &str = "stock-sync";
const POOL_OF_FOUR: [&str; 2] = ["--pool-size", "stock-sync=4"];

/// As many sessions of the one instance, of which the first `pinned` hold a key each.
fn instance(db: &Database<'_>, open: usize, pinned: i64) -> Vec<Session> {
    let sessions: Vec<Session> = (0..open).map(|_| db.session(NAME)).collect();
    for (session, key) in sessions.iter().zip(1..=pinned) {
        session.idle_with(key);
    }
    sessions
}

#[test]
fn four_idle_holders_in_a_pool_of_four_starve_it_for_certain() {
    Server::each(|server| {
        let db = server.database("pool_of_four");
        let sessions = instance(&db, 4, 4);
        let scan = scan_with(&db, &POOL_OF_FOUR).exits_with(1);
        let found = scan.finds("starved-pool");
        found
            .is("critical", "certain")
            .names(&sessions.iter().collect::<Vec<_>>())
            .tells("4 of its 4 connections hold advisory locks and do nothing");
        assert_eq!(found.keys(), 4);
        assert_eq!(scan.document["waits"], serde_json::json!([]));
        assert_eq!(scan.document["summary"]["starved_pools"], 1);
        scan.is_silent_on("blocked-waiters");
    });
}

#[test]
fn without_the_pools_size_it_is_a_suspicion() {
    let db = Server::any().database("unknown_size");
    let _sessions = instance(&db, 4, 4);
    let scan = scan_with(&db, &[]);
    scan.finds("starved-pool")
        .is("warning", "likely")
        .tells("--pool-size 'stock-sync=4'");
    assert_eq!(scan.document["summary"]["suspected_pools"], 1);
}

#[test]
fn a_connection_that_is_free_keeps_the_pool_alive() {
    let db = Server::any().database("one_free");
    let _sessions = instance(&db, 4, 3);
    scan_with(&db, &POOL_OF_FOUR).is_silent_on("starved-pool");
    scan_with(&db, &[]).is_silent_on("starved-pool");
}

#[test]
fn a_connection_that_works_keeps_the_pool_alive() {
    let db = Server::any().database("one_works");
    let sessions = instance(&db, 4, 3);
    sessions[3].works_with(4);
    scan_with(&db, &POOL_OF_FOUR).is_silent_on("starved-pool");
    scan_with(&db, &[]).is_silent_on("starved-pool");
}

#[test]
fn a_connection_that_can_still_be_opened_keeps_the_pool_alive() {
    let db = Server::any().database("pool_of_five");
    let _sessions = instance(&db, 4, 4);
    scan_with(&db, &["--pool-size", "stock-sync=5"]).is_silent_on("starved-pool");
}

#[test]
fn a_free_connection_of_another_instance_helps_nobody() {
    let db = Server::any().database("two_instances");
    let sessions = instance(&db, 4, 4);
    let _others: Vec<Session> = (0..3).map(|_| db.session("storefront")).collect();
    scan_with(&db, &POOL_OF_FOUR)
        .finds("starved-pool")
        .is("critical", "certain")
        .names(&sessions.iter().collect::<Vec<_>>());
    scan_with(&db, &[])
        .finds("starved-pool")
        .is("warning", "likely");
}

#[test]
fn the_same_application_in_another_role_or_from_another_client_is_another_instance() {
    let server = Server::any();
    let role = server.role("stock");
    let db = server.database("alike");
    let _sessions = instance(&db, 2, 2);
    let _of_another_role = db.session_as(role.name(), NAME);
    let _of_another_client = db.session_over_tcp(NAME);
    scan_with(&db, &["--pool-size", "stock-sync=2"])
        .finds("starved-pool")
        .is("critical", "certain");
}

#[test]
fn one_holder_alone_is_no_starved_pool_unless_its_pool_has_one_connection() {
    let db = Server::any().database("pool_of_one");
    let _sessions = instance(&db, 1, 1);
    scan_with(&db, &[]).is_silent_on("starved-pool");
    scan_with(&db, &["--pool-size", "stock-sync=1"])
        .finds("starved-pool")
        .is("critical", "certain");
}

#[test]
fn a_pool_that_waits_for_its_own_holder_is_told_so() {
    Server::each(|server| {
        let db = server.database("on_itself");
        let sessions = instance(&db, 4, 1);
        for waiter in &sessions[1..] {
            waiter.waits_for(1);
        }
        let all: Vec<&Session> = sessions.iter().collect();
        let scan = scan_with(&db, &POOL_OF_FOUR).exits_with(1);
        scan.finds("pool-waits-on-itself")
            .is("critical", "certain")
            .names(&all)
            .tells(&format!("end the holder (pid {})", sessions[0].pid()));
        scan.finds("starved-pool")
            .is("critical", "certain")
            .names(&all);

        let scan = scan_with(&db, &[]);
        scan.finds("pool-waits-on-itself").is("critical", "likely");
        scan.finds("starved-pool").is("warning", "likely");

        let scan = scan_with(&db, &["--pool-size", "stock-sync=5"]);
        scan.finds("pool-waits-on-itself").is("warning", "certain");
        scan.is_silent_on("starved-pool");
    });
}

#[test]
fn a_pool_that_waits_for_another_pools_holder_does_not_wait_on_itself() {
    let db = Server::any().database("on_others");
    let holder = db.session("storefront");
    holder.idle_with(1);
    let sessions = instance(&db, 3, 0);
    for waiter in &sessions {
        waiter.waits_for(1);
    }
    scan_with(&db, &[]).is_silent_on("pool-waits-on-itself");
}

#[test]
fn a_pool_that_waits_for_a_member_at_work_does_not_wait_on_itself() {
    let db = Server::any().database("on_work");
    let sessions = instance(&db, 3, 0);
    sessions[0].works_with(1);
    sessions[1].waits_for(1);
    sessions[2].waits_for(1);
    let scan = scan_with(&db, &[]);
    scan.is_silent_on("pool-waits-on-itself")
        .is_silent_on("starved-pool");
}

#[test]
fn a_misspelled_application_is_said() {
    let db = Server::any().database("misspelled");
    let _sessions = instance(&db, 2, 2);
    crate::harness::lockaudit(&["scan", &db.url(), "--pool-size", "stocksync=2"])
        .complains("no session has the application_name `stocksync`");
}
