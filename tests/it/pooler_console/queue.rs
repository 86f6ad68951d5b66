//! `pool-exhausted`: clients that queue in the pooler, where PostgreSQL does not see them.

use super::{behind, holder, scan_both};
use crate::harness::{Database, PgBouncer, Pooling, Psql, items, wait_for};

const RULE: &str = "pool-exhausted";

/// A client that asks for a connection, and has waited for more than a second.
fn queued(db: &Database<'_>, pooler: &PgBouncer) -> Psql {
    let client = Psql::queued(&pooler.address_of(db), "queued");
    wait_for("a second in the queue", || {
        let pools = pooler.console().rows("SHOW POOLS");
        let of_db = pools
            .iter()
            .find(|row| row[0].as_deref() == Some(db.name()));
        of_db.is_some_and(|row| row[13].as_deref().is_some_and(|maxwait| maxwait != "0"))
    });
    client
}

/// LA-082
#[test]
fn a_pool_whose_every_connection_waits_for_one_lock_names_its_holder() {
    behind(&Pooling::by_transaction(2), |db, pooler| {
        let leader = db.session("leader");
        leader.idle_with(1);
        let waiters = [pooler.session(db, "api"), pooler.session(db, "api")];
        waiters[0].runs("BEGIN; SELECT 1");
        waiters[1].runs("BEGIN; SELECT 1");
        for waiter in &waiters {
            waiter.starts("SELECT pg_advisory_xact_lock(1)");
        }
        let waiting = format!(
            "SELECT count(*) = 2 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = {}",
            db.oid()
        );
        wait_for("both to wait", || db.server().admin().says(&waiting));
        let _client = queued(db, pooler);
        let scan = scan_both(db, pooler).exits_with(1);
        scan.finds(RULE)
            .is("critical", "certain")
            .tells("1 client waits in PgBouncer's pool")
            .tells("2 of 2 do nothing because of advisory locks")
            .tells(&format!("held by pid {} (leader)", leader.pid()));
        let pool = &scan.document["poolers"][0]["pools"];
        let of_db = items(pool).find(|pool| pool["alias"] == db.name());
        assert_eq!(
            of_db.map(|pool| pool["clients_waiting"].clone()),
            Some(1.into()),
            "{scan}"
        );
    });
}

#[test]
fn a_pool_pinned_by_a_lock_in_an_idle_transaction_is_critical() {
    behind(&Pooling::by_transaction(1), |db, pooler| {
        let pins = pooler.session(db, "importer");
        pins.in_transaction_with(1);
        let _client = queued(db, pooler);
        scan_both(db, pooler)
            .finds(RULE)
            .is("critical", "certain")
            .names(&[&holder(db)]);
    });
}

#[test]
fn a_busy_pool_without_locks_is_a_warning() {
    behind(&Pooling::by_transaction(1), |db, pooler| {
        pooler.session(db, "report").starts("SELECT pg_sleep(60)");
        let busy = format!(
            "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = '{}' AND wait_event = 'PgSleep')",
            db.name()
        );
        wait_for("the report", || db.server().admin().says(&busy));
        let _client = queued(db, pooler);
        scan_both(db, pooler).finds(RULE).is("warning", "certain");
    });
}

#[test]
fn a_paused_pool_is_told_and_the_scan_does_not_hang() {
    behind(&Pooling::by_transaction(1), |db, pooler| {
        pooler.session(db, "api").runs("SELECT 1");
        pooler.console().runs(&format!("PAUSE {}", db.name()));
        let _client = queued(db, pooler);
        scan_both(db, pooler)
            .finds(RULE)
            .is("critical", "certain")
            .tells("the pool is paused")
            .tells(&format!("`RESUME {};`", db.name()));
    });
}

#[test]
fn a_pool_with_a_connection_to_spare_is_silent() {
    behind(&Pooling::by_transaction(2), |db, pooler| {
        pooler.session(db, "importer").in_transaction_with(1);
        scan_both(db, pooler).is_silent_on(RULE);
    });
}
