//! What a look at the server does not show, or shows wrongly, and what the scan makes of it.

use serde_json::json;

use super::between_samples::Samples;
use crate::harness::{Database, Scan, Server, Session, lockaudit, scan, scan_with};

/// LA-066: to a role without grants every state is NULL, and a query for idle holders finds none.
#[test]
fn a_role_that_sees_no_state_still_names_holder_waiter_and_key() {
    Server::each(|server| {
        let role = server.role("mon");
        let db = server.database("blind");
        let (holder, waiter) = (db.session("sweep"), db.session("api"));
        holder.idle_with(42);
        waiter.waits_for(42);
        let url = db.url_as(role.name());
        let scan = Scan::of(&url, &["--database", db.name()]).exits_with(1);
        scan.finds("limited-visibility")
            .is("warning", "certain")
            .names(&[&holder, &waiter])
            .tells("GRANT pg_monitor");
        scan.finds("idle-holder")
            .is("critical", "likely")
            .names(&[&holder])
            .tells("its state hidden")
            .tells(&format!("key 42 in {}", db.name()));
        scan.finds("blocked-waiters")
            .is("critical", "certain")
            .names(&[&waiter]);
        assert!(scan.blind_spots().contains(&"masked-sessions"), "{scan}");
        lockaudit(&["scan", &url, "--strict", "--database", db.name()]).exits_with(2);
    });
}

/// LA-067: the lock of a prepared transaction has no pid, and its waiter's blocker is pid 0.
#[test]
fn a_waiter_of_a_prepared_transaction_is_freed_by_the_statement_given() {
    Server::each(|server| {
        let db = server.database("prepared");
        let transfer = db.session("transfers");
        transfer.prepared_with(77, "gx1");
        transfer.disconnect();
        let waiter = db.session("ledger");
        waiter.waits_for(77);
        let blockers = db
            .session("harness")
            .value(&format!("SELECT pg_blocking_pids({})::text", waiter.pid()));
        assert_eq!(blockers.as_deref(), Some("{0}"));
        let scan = scan(&db).exits_with(1);
        scan.finds("blocked-waiters")
            .is("critical", "certain")
            .tells("behind prepared transaction 'gx1': 1 session");
        let found = scan.finds("prepared-holder");
        found
            .is("critical", "certain")
            .names(&[])
            .keeps_quiet_about("pg_terminate_backend");
        db.session("operator").runs(&found.sql());
        waiter.is_seen("granted", "a.state = 'idle'");
        scan_with(&db, &["--idle-after", "1h"]).is_silent_on("prepared-holder");
    });
}

/// LA-068: an idle transaction holds back VACUUM while it has a snapshot, and not otherwise.
#[test]
fn an_idle_transaction_is_said_to_hold_back_vacuum_only_where_it_does() {
    Server::each(|server| {
        let db = server.database("snapshots");
        let (plain, repeatable) = (db.session("plain"), db.session("repeatable"));
        plain.in_transaction_with(61);
        repeatable
            .runs("BEGIN ISOLATION LEVEL REPEATABLE READ")
            .runs("SELECT pg_advisory_xact_lock(62)");
        let scan = scan(&db);
        let found = scan.found("idle-in-transaction-holder");
        let [first, second] = &found[..] else {
            panic!("two holders, and not these: {scan}");
        };
        first.names(&[&plain]).keeps_quiet_about("VACUUM");
        second
            .names(&[&repeatable])
            .tells("its snapshot keeps VACUUM from what died in the last");
    });
}

/// LA-070: inside one transaction `pg_stat_activity` stands still and `pg_locks` does not.
#[test]
fn a_session_born_between_two_samples_is_known_by_name() {
    let db = Server::any().database("fresh_eyes");
    let before = db.session("before");
    before.idle_with(1);
    let samples = Samples::of(&db, "2", &[]);
    samples.takes_one();
    before.disconnect();
    let newborn = db.session("newborn");
    newborn.idle_with(1);
    let scan = samples.finish();
    assert_eq!(scan.lock_of(&newborn)["granted"], true, "{scan}");
    scan.finds("idle-holder")
        .is("info", "certain")
        .names(&[&newborn])
        .tells("(newborn, ");
}

/// A holder of the key that has fallen idle, and then a session that asks so and gets nothing.
fn refused(db: &Database<'_>, query: &str) -> (Session, Session) {
    let (holder, poller) = (db.session("leader"), db.session("standby"));
    holder.idle_with(5);
    assert!(!poller.says(query), "{query}");
    (holder, poller)
}

/// LA-071: who polls with a try-lock is never in the queue; its last statement tells.
#[test]
fn sessions_that_poll_for_a_key_are_told_by_their_last_statement() {
    Server::each(|server| {
        let db = server.database("pollers");
        let (holder, poller) = refused(&db, "SELECT pg_try_advisory_lock(5)");
        let another = db.session("standby");
        assert!(!another.says("SELECT pg_try_advisory_xact_lock_shared('5'::bigint)"));
        let scan = scan_with(&db, &["--idle-after", "0s"]).exits_with(1);
        let (first, last) = in_order(&poller, &another);
        scan.finds("idle-holder")
            .is("warning", "certain")
            .names(&[&holder])
            .tells("; 2 sessions asked for it in vain")
            .tells(&format!(
                "2 sessions asked for it without waiting since it fell idle: pids {first}, {last}"
            ))
            .tells("leave it if it leads and they stand by");
        assert_eq!(scan.document["waits"], json!([]));
    });
}

fn in_order(one: &Session, other: &Session) -> (i32, i32) {
    let (one, other) = (one.pid(), other.pid());
    (one.min(other), one.max(other))
}

/// LA-071: a holder in a transaction keeps pollers out no less.
#[test]
fn pollers_for_a_transactions_key_are_told_too() {
    let db = Server::any().database("pollers_in_transaction");
    let (holder, poller) = (db.session("leader"), db.session("standby"));
    holder.in_transaction_with((5, -7));
    assert!(!poller.says("SELECT pg_try_advisory_lock(5, -7)"));
    scan(&db)
        .finds("idle-in-transaction-holder")
        .tells("; 1 session asked for it in vain")
        .tells(&format!("since it fell idle: pid {}", poller.pid()));
}

/// LA-071: a key that is a parameter, or is computed, is not guessed.
#[test]
fn a_poller_whose_key_is_not_in_its_text_is_called_a_perhaps() {
    let db = Server::any().database("hidden_key");
    let (_holder, poller) = refused(&db, "SELECT pg_try_advisory_lock(2 + 3)");
    let scan = scan(&db);
    scan.finds("idle-holder")
        .keeps_quiet_about("in vain")
        .tells(&format!(
            "1 session asked for a key that their statement does not show, this one perhaps, \
             without waiting since it fell idle: pid {}",
            poller.pid()
        ));
}

/// LA-071, its near misses: another key, another database, a text that is not to be read.
#[test]
fn who_polls_for_something_else_is_no_poller_of_this_key() {
    let server = Server::any();
    let (db, elsewhere) = (server.database("polled"), server.database("elsewhere"));
    let (holder, other, far) = (
        db.session("leader"),
        db.session("standby"),
        elsewhere.session("standby"),
    );
    holder.idle_with(5);
    assert!(other.says("SELECT pg_try_advisory_xact_lock(6)"));
    assert!(far.says("SELECT pg_try_advisory_xact_lock(5)"));
    scan(&db)
        .finds("idle-holder")
        .keeps_quiet_about("asked for");
    assert!(!other.says("SELECT pg_try_advisory_xact_lock(5)"));
    scan(&db).finds("idle-holder").tells("asked for it in vain");
    scan_with(&db, &["--query", "none"])
        .finds("idle-holder")
        .keeps_quiet_about("asked for");
}

/// LA-072: a holder that goes on with other statements has held longer than it has been idle.
#[test]
fn the_age_of_the_last_statement_is_a_lower_bound_and_no_more() {
    Server::each(|server| {
        let db = server.database("keepalive");
        let (holder, waiter) = (db.session("scheduler"), db.session("api"));
        holder.idle_with(9);
        waiter.waits_for(9);
        holder.runs("SELECT 'keepalive'");
        let scan = scan(&db);
        let seconds = |row: &serde_json::Value, name: &str| row[name].as_f64().expect("seconds");
        let row = scan.lock_of(&holder);
        let least = seconds(row, "held_at_least_seconds");
        let most = seconds(row, "held_at_most_seconds");
        let waited = seconds(scan.lock_of(&waiter), "waiting_seconds");
        assert!(least <= waited && waited <= most, "{scan}");
        scan.finds("idle-holder")
            .tells("held for at least")
            .tells("(the session's age)")
            .tells("1 session waits for it for")
            .tells("last statement (need not be the one that locked): SELECT 'keepalive'");
    });
}

/// LA-073: a script that looked at `objid` alone, and at idle sessions only, ended the wrong one.
#[test]
fn the_statement_given_ends_the_holder_and_nobody_with_half_of_its_key() {
    Server::each(|server| {
        let (db, elsewhere) = (server.database("full_tag"), server.database("elsewhere"));
        let (holder, waiter) = (db.session("migrate"), db.session("migrate-2"));
        holder.in_transaction_with(72_707_369);
        waiter.waits_for(72_707_369);
        let half = db.session("half-of-the-key");
        half.idle_with_pair(5, 72_707_369)
            .idle_with(72_707_369 + (1 << 32));
        let far = elsewhere.session("far");
        far.idle_with(72_707_369);
        let sql = scan(&db).finds("idle-in-transaction-holder").sql();
        assert_eq!(db.session("operator").rows(&sql).len(), 1, "{sql}");
        holder.is_gone();
        waiter.is_seen("granted", "a.state = 'idle'");
        for other in [&half, &far] {
            other.runs("SELECT 'still here'");
        }
    });
}
