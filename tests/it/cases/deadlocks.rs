//! Circles that PostgreSQL sees and breaks: how they look before, and what is left behind.

use crate::harness::{Server, Session, scan};

/// Its own next deadlock check is far away: the circle stays to be looked at.
fn patient(session: &Session) -> &Session {
    session.runs("SET deadlock_timeout = '1h'")
}

fn is_deadlocked(session: &Session, sql: &str) {
    let refusal = session.tries(sql).expect_err("a deadlock");
    assert_eq!(refusal.code().map(|code| code.code()), Some("40P01"));
}

/// LA-046
#[test]
fn two_batches_that_lock_in_opposite_orders_wait_in_a_circle() {
    Server::each(|server| {
        let db = server.database("no_order");
        let (one, other) = (db.session("batch"), db.session("batch"));
        patient(&one).in_transaction_with((1, -5));
        other.runs("BEGIN; SELECT pg_advisory_xact_lock_shared(1, 20)");
        one.is_blocked_in("SELECT pg_advisory_xact_lock(1, 20)");
        patient(&other).is_blocked_in("SELECT pg_advisory_xact_lock(1, -5)");
        let scan = scan(&db).exits_with(1);
        scan.finds("blocked-waiters")
            .is("critical", "certain")
            .names(&[&one, &other])
            .tells("wait in a circle")
            .tells("wait for deadlock_timeout");
        scan.is_silent_on("idle-in-transaction-holder")
            .is_silent_on("hidden-deadlock");
        assert!(scan.to_string().contains("(1, -5)"), "{scan}");
    });
}

/// LA-046, afterwards
#[test]
fn the_victim_of_a_deadlock_gives_up_its_transactions_locks() {
    let db = Server::any().database("no_order_after");
    let (one, victim) = (db.session("batch"), db.session("batch"));
    patient(&one).in_transaction_with((1, -5));
    victim
        .runs("SET deadlock_timeout = '10ms'")
        .in_transaction_with((1, 20));
    one.is_blocked_in("SELECT pg_advisory_xact_lock(1, 20)");
    is_deadlocked(&victim, "SELECT pg_advisory_xact_lock(1, -5)");
    one.is_seen("in possession", "state = 'idle in transaction'");
    let scan = scan(&db);
    scan.is_silent_on("blocked-waiters");
    scan.finds("idle-in-transaction-holder").names(&[&one]);
}

/// LA-047
#[test]
fn the_survivor_of_two_upgrades_waits_for_the_victim_that_kept_its_share() {
    Server::each(|server| {
        let db = server.database("upgrade");
        let (survivor, victim) = (db.session("survivor"), db.session("victim"));
        patient(&survivor).idle_sharing(51);
        victim
            .runs("SET deadlock_timeout = '10ms'")
            .idle_sharing(51);
        survivor.waits_for(51);
        is_deadlocked(&victim, "SELECT pg_advisory_lock(51)");
        let scan = scan(&db).exits_with(1);
        let blockers = &scan.wait_of(&survivor)["blocked_by"];
        assert_eq!(blockers[0]["pid"], victim.pid(), "{scan}");
        assert!(blockers[1].is_null(), "{scan}");
        scan.finds("idle-holder")
            .is("critical", "certain")
            .names(&[&victim])
            .tells("shared, session scope")
            .tells("pg_advisory_unlock_shared(51)")
            .tells(&format!("pid {} can go on then", survivor.pid()));
        scan.finds("blocked-waiters")
            .names(&[&survivor])
            .keeps_quiet_about("circle");
        assert!(victim.says("SELECT pg_advisory_unlock_shared(51)"));
        survivor.is_seen("in possession", "state = 'idle'");
    });
}

/// LA-051
#[test]
fn a_circle_of_a_row_and_an_advisory_lock_is_left_to_the_server() {
    Server::each(|server| {
        let db = server.database("row_and_lock");
        let (one, other) = (db.session("teller"), db.session("sweep"));
        one.runs("CREATE TABLE accounts AS SELECT 1 AS id, 0 AS balance");
        patient(&one).in_transaction_with(9);
        patient(&other).runs("BEGIN; UPDATE accounts SET balance = 1");
        one.is_blocked_in("UPDATE accounts SET balance = 2");
        other.is_blocked_in("SELECT pg_advisory_xact_lock(9)");
        let scan = scan(&db).exits_with(1);
        assert_eq!(scan.wait_of(&one)["locktype"], "transactionid", "{scan}");
        scan.is_silent_on("hidden-deadlock");
        scan.finds("blocked-waiters")
            .is("critical", "certain")
            .names(&[&one, &other])
            .tells("wait in a circle");
    });
}
