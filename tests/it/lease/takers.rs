//! Many takers of one name: one of them gets it, whatever the row, the isolation level and the crowd.

use std::sync::Barrier;
use std::thread;

use super::words::{Held, Leasing, Refusal, database, take_sql};
use crate::harness::{Server, Session};

const LEVELS: [&str; 3] = ["read committed", "repeatable read", "serializable"];

/// How a name is before the rush.
const BEFORE: [(&str, &str); 3] = [
    ("absent", "DELETE FROM lockaudit_lease"),
    (
        "free",
        "UPDATE lockaudit_lease SET holder = NULL, expires_at = '-infinity'",
    ),
    (
        "expired",
        "UPDATE lockaudit_lease SET expires_at = clock_timestamp()",
    ),
];

#[test]
fn one_of_2_to_64_takers_gets_an_absent_a_free_and_an_expired_lease_at_each_isolation_level() {
    Server::each(|server| {
        let db = database(server, "rush");
        let owner = db.session("owner");
        let crowd: Vec<Session> = (0..64).map(|_| db.session("taker")).collect();
        for level in LEVELS {
            for session in &crowd {
                session.runs(&format!("SET default_transaction_isolation = '{level}'"));
            }
            for ((state, sql), size) in BEFORE
                .iter()
                .zip([2, 8, 64])
                .chain(BEFORE.iter().zip([64, 2, 8]))
            {
                owner.runs("DELETE FROM lockaudit_lease_log").runs(sql);
                let answers = rush(&crowd[..size]);
                let granted: Vec<&Held> = answers.iter().flatten().flatten().collect();
                assert_eq!(
                    granted.len(),
                    1,
                    "{size} takers, {state}, {level}: {answers:?}"
                );
                refused_only_for_concurrency(&answers, level);
            }
        }
    });
}

#[test]
fn an_old_transaction_takes_by_the_present_clock() {
    Server::each(|server| {
        let db = database(server, "old_transaction");
        let (old, other) = (db.session("old"), db.session("other"));
        old.runs("BEGIN").runs("SELECT 1");
        other.has_taken("sweep", "other", 0.2);
        other.sees_the_end_of("sweep");
        let before = other.value("SELECT clock_timestamp()").expect("a time");
        old.has_taken("sweep", "old", 60.0);
        let whole =
            format!("SELECT expires_at >= '{before}'::timestamptz + '60 s' FROM lockaudit_lease");
        assert!(old.says(&whole), "it counts from the transaction's start");
        other.is_blocked_in(&take_sql("sweep", "other", 60.0));
        old.runs("COMMIT");
        other.is_seen("refused", "state = 'idle'");
        assert!(other.row_of("sweep").starts_with("old "));
    });
}

#[test]
fn an_old_snapshot_that_still_shows_a_free_lease_grants_nothing() {
    Server::each(|server| {
        let db = database(server, "old_snapshot");
        let (old, other) = (db.session("old"), db.session("other"));
        for level in &LEVELS[1..] {
            let name = level.replace(' ', "_");
            other.has_taken(&name, "earlier", 0.01);
            other.sees_the_end_of(&name);
            old.runs(&format!("BEGIN ISOLATION LEVEL {level}"))
                .runs("SELECT count(*) FROM lockaudit_lease");
            let held = other.has_taken(&name, "other", 60.0);
            let refusal = old
                .tries_to_take(&name, "old", 60.0)
                .expect_err("it cannot know");
            assert_eq!(sqlstate(&refusal), "40001");
            old.runs("ROLLBACK");
            assert!(other.renews(&held, 60.0));
        }
    });
}

#[test]
fn a_take_blocked_for_longer_than_its_lease_gets_its_whole_time_or_nothing() {
    Server::each(|server| {
        let db = database(server, "blocked_take");
        let (blocker, taker, rival) = (
            db.session("blocker"),
            db.session("taker"),
            db.session("rival"),
        );
        for granted_meanwhile in [false, true] {
            blocker.runs("DELETE FROM lockaudit_lease");
            rival.has_taken("sweep", "rival", 0.01);
            rival.sees_the_end_of("sweep");
            blocker
                .runs("BEGIN")
                .runs("SELECT FROM lockaudit_lease FOR UPDATE");
            if granted_meanwhile {
                blocker.has_taken("sweep", "blocker", 60.0);
            }
            let taken = thread::scope(|scope| {
                let taking = scope.spawn(|| taker.takes("sweep", "taker", 0.5));
                taker.is_seen("blocked", "wait_event_type = 'Lock'");
                rival.sees_time_pass(0.7);
                blocker.runs("COMMIT");
                taking.join().expect("it is answered")
            });
            assert_eq!(taken.is_some(), !granted_meanwhile);
            if taken.is_some() {
                let left = rival.seconds_left("sweep");
                assert!(left > 0.0, "counted from before the wait: {left} s left");
            }
        }
    });
}

#[test]
fn time_zones_change_nothing() {
    Server::each(|server| {
        let db = database(server, "zones");
        let sessions = ["UTC", "Pacific/Auckland", "America/St_Johns", "-15:59"].map(|zone| {
            let session = db.session(zone);
            session.runs(&format!("SET TimeZone = '{zone}'"));
            session
        });
        for (at, holder) in sessions.iter().enumerate() {
            let name = format!("name-{at}");
            let held = holder.has_taken(&name, "holder", 60.0);
            for other in &sessions {
                assert_eq!(other.takes(&name, "other", 60.0), None);
                assert!((50.0..=60.0).contains(&other.seconds_left(&name)));
                assert!(other.renews(&held, 60.0));
            }
            holder.runs("SET TimeZone = 'Asia/Kolkata'");
            assert!(holder.renews(&held, 0.01));
            holder.sees_the_end_of(&name);
            assert!(sessions[0].takes(&name, "other", 60.0).is_some());
        }
    });
}

fn rush(crowd: &[Session]) -> Vec<Result<Option<Held>, Refusal>> {
    let start = Barrier::new(crowd.len());
    thread::scope(|scope| {
        let takers: Vec<_> = crowd
            .iter()
            .enumerate()
            .map(|(at, session)| {
                let start = &start;
                scope.spawn(move || {
                    start.wait();
                    session.tries_to_take("sweep", &format!("taker-{at}"), 60.0)
                })
            })
            .collect();
        let answers = takers.into_iter().map(|taker| taker.join());
        answers
            .map(|answer| answer.expect("it is answered"))
            .collect()
    })
}

#[track_caller]
fn refused_only_for_concurrency(answers: &[Result<Option<Held>, Refusal>], level: &str) {
    for refusal in answers.iter().filter_map(|answer| answer.as_ref().err()) {
        assert_eq!(
            (sqlstate(refusal), level != LEVELS[0]),
            ("40001", true),
            "{level}"
        );
    }
}

fn sqlstate(refusal: &Refusal) -> &str {
    refusal.code().map_or("none", |code| code.code())
}
