//! What a console's settings tell by themselves: `lock-lost`, `pooler-over-budget`.

use super::{behind, scan_both};
use crate::harness::Pooling;

/// LA-013
#[test]
fn a_pooler_that_drops_locks_at_once_is_found_by_its_settings() {
    let resets = Pooling::by_transaction(1).setting("server_reset_query_always", "1");
    behind(&resets, |db, pooler| {
        let client = pooler.session(db, "billing");
        assert!(client.says("SELECT pg_try_advisory_lock(1)"));
        let scan = scan_both(db, pooler).exits_with(1);
        scan.finds("lock-lost")
            .is("warning", "certain")
            .tells("server_reset_query_always = 1, server_reset_query = 'DISCARD ALL'")
            .tells(db.name());
        assert_eq!(scan.document["summary"]["locks"], 0, "{scan}");
    });
}

#[test]
fn without_that_setting_or_in_session_mode_nothing_is_lost() {
    behind(&Pooling::by_transaction(1), |db, pooler| {
        pooler.session(db, "billing").runs("SELECT 1");
        scan_both(db, pooler).is_silent_on("lock-lost");
    });
    let session = Pooling::by_session(1).setting("server_reset_query_always", "1");
    behind(&session, |db, pooler| {
        pooler.session(db, "billing").runs("SELECT 1");
        scan_both(db, pooler).is_silent_on("lock-lost");
    });
}

#[test]
fn a_pool_that_may_outgrow_the_server_is_told() {
    behind(&Pooling::by_transaction(500), |db, pooler| {
        pooler.session(db, "api").runs("SELECT 1");
        let client = pooler.session(db, "api");
        client.runs("BEGIN; SELECT 1");
        scan_both(db, pooler)
            .finds("pooler-over-budget")
            .is("warning", "certain")
            .tells("the poolers may open 500 connections")
            .tells(&format!("500 connections in {}", db.name()));
    });
    let bounded = Pooling::by_transaction(500).setting("max_db_connections", "5");
    behind(&bounded, |db, pooler| {
        let client = pooler.session(db, "api");
        client.runs("BEGIN; SELECT 1");
        for found in scan_both(db, pooler).found("pooler-over-budget") {
            found.is("info", "certain");
        }
    });
}
