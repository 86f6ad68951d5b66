//! `false-exclusion` by a console: a session's lock on a connection that a client of a transaction pool has.

use super::{behind, holder, scan_both};
use crate::harness::{Pooling, Samples};

const RULE: &str = "false-exclusion";

#[test]
fn two_clients_that_own_one_lock_are_found_while_one_of_them_has_the_connection() {
    behind(&Pooling::by_transaction(1), |db, pooler| {
        let (first, second) = (
            pooler.session(db, "billing"),
            pooler.session(db, "shipping"),
        );
        for client in [&first, &second] {
            assert!(client.says("SELECT pg_try_advisory_lock(1)"), "both own it");
        }
        let console = ["--pgbouncer", &pooler.stats_url()];
        let mut samples = Samples::of(db);
        samples.take();
        first.runs("BEGIN; SELECT 1");
        samples.take_with(&console);
        first.runs("COMMIT");
        second.runs("BEGIN; SELECT 1");
        samples.take_with(&console);
        samples
            .judged()
            .finds(RULE)
            .is("critical", "likely")
            .names(&[&holder(db)])
            .tells("is lent to shipping at 127.0.0.1:")
            .tells("the latest borrower, not necessarily the one who locked")
            .tells("2 clients had the connection while this scan looked: billing at ")
            .tells(&format!("`RECONNECT {};`", db.name()));
    });
}

#[test]
fn inside_one_transaction_a_sessions_lock_looks_like_the_transactions() {
    behind(&Pooling::by_transaction(1), |db, pooler| {
        let client = pooler.session(db, "billing");
        client.runs("BEGIN; SELECT pg_advisory_lock(1)");
        scan_both(db, pooler).is_silent_on(RULE);
    });
}
