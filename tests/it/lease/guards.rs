//! What renew, release and the fence check ask for: the holder, the token, the time, and when they look.

use std::thread;

use super::words::{Held, Leasing, database, take_sql};
use crate::harness::{Database, Server, Session};

type Renewal = fn(&Session, &Held, f64) -> bool;

const RENEWALS: [Renewal; 2] = [Session::renews, Session::renews_as_one_of_many];

#[test]
fn only_the_holder_renews_under_its_token_before_the_end() {
    Server::each(|server| {
        for renews in RENEWALS {
            let db = database(server, "renewals");
            let session = db.session("holder");
            let held = session.has_taken("sweep", "one", 60.0);
            refuses(&session, &held.by("two"), renews);
            refuses(&session, &held.with_token(held.token - 1), renews);
            refuses(&session, &held.with_token(held.token + 1), renews);
            let nowhere = Held {
                name: "unknown".to_owned(),
                ..held.clone()
            };
            refuses(&session, &nowhere, renews);
            assert!(renews(&session, &held, 0.01));
            session.sees_the_end_of("sweep");
            refuses(&session, &held, renews);
            let next = session.has_taken("sweep", "one", 60.0);
            assert!(next.token > held.token, "an ended lease has another token");
            refuses(&session, &held, renews);
            assert!(session.releases(&next));
            refuses(&session, &next, renews);
        }
    });
}

#[test]
fn a_release_frees_its_own_grant_once_and_no_other() {
    Server::each(|server| {
        let db = database(server, "releases");
        let session = db.session("holder");
        let held = session.has_taken("sweep", "one", 60.0);
        for stranger in [held.by("two"), held.with_token(held.token - 1)] {
            assert!(!session.releases(&stranger));
        }
        assert!(session.releases(&held));
        let freed = session.row_of("sweep");
        assert!(!session.releases(&held));
        assert_eq!(session.row_of("sweep"), freed);
        let next = session.has_taken("sweep", "one", 60.0);
        assert!(
            !session.releases(&held),
            "a late release of an earlier grant"
        );
        assert!(session.renews(&next, 60.0));
        assert_eq!(events(&session, held.token), "granted released");
        assert_eq!(events(&session, next.token), "granted");
    });
}

#[test]
fn a_broken_lease_is_lost_and_its_token_passed() {
    Server::each(|server| {
        let db = database(server, "broken");
        let session = db.session("operator");
        let held = session.has_taken("sweep", "one", 60.0);
        assert!(session.breaks("sweep") && !session.breaks("sweep"));
        assert!(!session.renews(&held, 60.0) && !session.releases(&held));
        let next = session.has_taken("sweep", "two", 60.0);
        assert!(next.token > held.token + 1, "the break has raised it too");
        assert_eq!(events(&session, held.token), "granted broken");
    });
}

/// A renewal that waits for the row judges by the clock after the wait: a plain `UPDATE` would not.
#[test]
fn a_renewal_that_waited_past_the_end_revives_nothing() {
    Server::each(|server| {
        for renews in RENEWALS {
            for touched in [false, true] {
                let db = database(server, "late_renewal");
                let (blocker, holder) = (db.session("blocker"), db.session("holder"));
                let held = holder.has_taken("sweep", "one", 0.5);
                lock(&blocker, touched);
                let renewed = thread::scope(|scope| {
                    let renewal = scope.spawn(|| renews(&holder, &held, 60.0));
                    holder.is_seen("blocked", "wait_event_type = 'Lock'");
                    blocker.sees_the_end_of("sweep");
                    blocker.runs("COMMIT");
                    renewal.join().expect("it is answered")
                });
                assert!(!renewed, "touched: {touched}");
                assert!(blocker.seconds_left("sweep") <= 0.0);
            }
        }
    });
}

#[test]
fn a_renewal_that_waited_within_its_time_counts() {
    Server::each(|server| {
        for renews in RENEWALS {
            for touched in [false, true] {
                let db = database(server, "renewal_in_time");
                let (blocker, holder) = (db.session("blocker"), db.session("holder"));
                let held = holder.has_taken("sweep", "one", 20.0);
                lock(&blocker, touched);
                let renewed = thread::scope(|scope| {
                    let renewal = scope.spawn(|| renews(&holder, &held, 60.0));
                    holder.is_seen("blocked", "wait_event_type = 'Lock'");
                    blocker.runs("COMMIT");
                    renewal.join().expect("it is answered")
                });
                assert!(renewed, "touched: {touched}");
                assert!(blocker.seconds_left("sweep") > 30.0);
            }
        }
    });
}

#[test]
fn a_transaction_that_passed_the_fence_keeps_takers_out_until_it_commits() {
    Server::each(|server| {
        let (db, worker, taker) = at_work(server, "fence");
        let held = worker.has_taken("sweep", "one", 0.5);
        worker.runs("BEGIN");
        assert!(worker.passes_the_fence(&held));
        db.session("observer").sees_the_end_of("sweep");
        taker.is_blocked_in(&take_sql("sweep", "two", 60.0));
        worker.runs("COMMIT");
        taker.is_seen("granted", "state = 'idle'");
        assert!(taker.row_of("sweep").starts_with("two "));
        worker.runs("BEGIN");
        assert!(!worker.passes_the_fence(&held));
    });
}

#[test]
fn the_fence_is_closed_to_strangers_old_tokens_and_ended_leases_also_after_a_wait() {
    Server::each(|server| {
        let (_db, worker, blocker) = at_work(server, "closed_fence");
        let held = worker.has_taken("sweep", "one", 0.5);
        for stranger in [held.by("two"), held.with_token(held.token - 1)] {
            assert!(!worker.passes_the_fence(&stranger));
        }
        assert!(worker.passes_the_fence(&held));
        lock(&blocker, false);
        let passed = thread::scope(|scope| {
            let check = scope.spawn(|| worker.passes_the_fence(&held));
            worker.is_seen("blocked", "wait_event_type = 'Lock'");
            blocker.sees_the_end_of("sweep");
            blocker.runs("COMMIT");
            check.join().expect("it is answered")
        });
        assert!(!passed, "the lease ended while the check waited");
        assert!(!worker.passes_the_fence(&held));
    });
}

fn at_work<'a>(server: &'a Server, name: &str) -> (Database<'a>, Session, Session) {
    let db = database(server, name);
    let sessions = (db.session("worker"), db.session("other"));
    (db, sessions.0, sessions.1)
}

/// Locks the row, in a transaction that leaves it as it was, or that makes another version of it.
fn lock(blocker: &Session, touched: bool) {
    let lock = match touched {
        true => "UPDATE lockaudit_lease SET name = name",
        false => "SELECT FROM lockaudit_lease FOR UPDATE",
    };
    blocker.runs("BEGIN").runs(lock);
}

#[track_caller]
fn refuses(session: &Session, held: &Held, renews: Renewal) {
    let before = session.row_of("sweep");
    assert!(!renews(session, held, 60.0), "{held:?}");
    assert_eq!(session.row_of("sweep"), before);
    assert_eq!(session.number("SELECT count(*) FROM lockaudit_lease"), 1);
}

fn events(session: &Session, token: i64) -> String {
    let sql = format!(
        "SELECT string_agg(event, ' ' ORDER BY id) FROM lockaudit_lease_log WHERE token = {token}"
    );
    session.value(&sql).unwrap_or_default()
}
