//! `holder-churn`: a key that many want and that is passed on from sample to sample.

use crate::harness::{Database, Samples, Server, Session};

const RULE: &str = "holder-churn";

/// The holder, with the others queued behind it in this order.
fn queue<'a>(db: &Database<'a>, waiters: usize) -> (Session, Vec<Session>) {
    let holder = db.session("worker");
    holder.idle_with(1);
    let waiters: Vec<_> = (0..waiters).map(|_| db.session("worker")).collect();
    for waiter in &waiters {
        waiter.waits_for(1);
    }
    (holder, waiters)
}

#[test]
fn a_key_that_each_sample_shows_with_another_holder_is_a_remark() {
    Server::each(|server| {
        let db = server.database("passed_on");
        let (holder, waiters) = queue(&db, 3);
        let mut samples = Samples::of(&db);
        samples.take();
        let mut passes = &holder;
        for next in &waiters[..2] {
            passes.runs("SELECT pg_advisory_unlock(1)");
            next.is_seen("in possession", "state = 'idle'");
            samples.take();
            passes = next;
        }
        samples
            .judged()
            .finds(RULE)
            .is("info", "certain")
            .names(&[&waiters[1]])
            .tells("3 holders in 3 samples, and 1 waiter now")
            .tells("end nobody");
    });
}

#[test]
fn a_key_that_one_holder_keeps_is_not_passed_on() {
    let db = Server::any().database("kept");
    let (_holder, _waiters) = queue(&db, 2);
    let mut samples = Samples::of(&db);
    samples.take().take().take();
    samples.judged().exits_with(1).is_silent_on(RULE);
}

#[test]
fn a_key_that_was_passed_on_once_and_is_kept_since_is_not() {
    let db = Server::any().database("kept_since");
    let (holder, waiters) = queue(&db, 2);
    let mut samples = Samples::of(&db);
    samples.take();
    holder.runs("SELECT pg_advisory_unlock(1)");
    waiters[0].is_seen("in possession", "state = 'idle'");
    samples.take().take();
    samples.judged().is_silent_on(RULE);
}

#[test]
fn two_samples_are_too_few_to_tell() {
    let db = Server::any().database("two_only");
    let (holder, waiters) = queue(&db, 2);
    let mut samples = Samples::of(&db);
    samples.take();
    holder.runs("SELECT pg_advisory_unlock(1)");
    waiters[0].is_seen("in possession", "state = 'idle'");
    samples.take();
    samples.judged().is_silent_on(RULE);
}
