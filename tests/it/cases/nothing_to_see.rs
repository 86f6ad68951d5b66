//! Complaints about a lock that no server holds: a scan says so, and says no more.

use crate::harness::{Server, scan};

const NOTHING: &str = "no advisory lock is held or waited for";

/// LA-018
#[test]
fn a_transactions_lock_taken_outside_a_transaction_protects_nothing() {
    let db = Server::any().database("too_short");
    let (one, other) = (db.session("projector"), db.session("projector"));
    for session in [&one, &other] {
        assert!(session.says("SELECT pg_try_advisory_xact_lock(9)"));
    }
    let scan = scan(&db).exits_with(0);
    assert_eq!(scan.document["summary"]["verdict"], NOTHING, "{scan}");
    assert!(scan.rules().is_empty(), "{scan}");
}

/// LA-040
#[test]
fn a_lock_that_only_a_client_believes_in_is_held_by_nobody() {
    Server::each(|server| {
        let db = server.database("phantom");
        let client = db.session("scheduler");
        client
            .idle_with(5)
            .runs("SELECT pg_advisory_unlock(5)")
            .in_transaction_with(5)
            .runs("ROLLBACK");
        let scan = scan(&db).exits_with(0);
        assert_eq!(scan.document["summary"]["verdict"], NOTHING, "{scan}");
        assert!(scan.rules().is_empty(), "{scan}");
    });
}
