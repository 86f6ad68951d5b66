//! `orphan-waiter`: who waits in the server for a client that has left its pooler.

use super::{behind, scan_both};
use crate::harness::{Database, Lockaudit, PgBouncer, Pooling, Psql, Scan, Session, wait_for};

const RULE: &str = "orphan-waiter";

fn waits(db: &Database<'_>) -> bool {
    db.server().admin().says(&format!(
        "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = {})",
        db.oid()
    ))
}

/// A client that waits for the key, and the backend that waits for it.
fn waiter(db: &Database<'_>, pooler: &PgBouncer) -> (Psql, Session) {
    let mut client = Psql::open(&pooler.address_of(db), "pod");
    client.starts("SELECT pg_advisory_lock(1);");
    wait_for("the wait", || waits(db));
    let pid = db.server().admin().number(&format!(
        "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = {}",
        db.oid()
    ));
    (client, Session::elsewhere(&db.address(), "pod", pid))
}

fn leaves(mut client: Psql, pooler: &PgBouncer) {
    client.is_killed();
    wait_for("the pooler to forget the client", || {
        !pooler.shows("SHOW CLIENTS", "pod")
    });
}

#[test]
fn a_waiter_that_the_console_forgets_while_the_scan_looks_is_certain() {
    behind(&Pooling::by_transaction(1), |db, pooler| {
        let holder = db.session("holder");
        holder.idle_with(1);
        let (client, waiter) = waiter(db, pooler);
        let url = db.url();
        let console = pooler.stats_url();
        let run = Lockaudit::new(&[
            "scan",
            &url,
            "--pgbouncer",
            &console,
            "--database",
            db.name(),
            "--samples",
            "25",
            "--interval",
            "100ms",
            "-f",
            "json",
        ])
        .start();
        wait_for("the scan to see it listed", || {
            pooler.shows("SHOW STATS", "pgbouncer") && pooler.shows("SHOW CLIENTS", "lockaudit")
        });
        // One reading of the console lies between two samples.
        let looks = |db: &Database<'_>| {
            db.server().admin().number(&format!(
                "SELECT coalesce(max(xact_commit), 0) FROM pg_stat_database WHERE datname = '{}'",
                db.name()
            ))
        };
        let at_first = looks(db);
        wait_for("some samples", || looks(db) > at_first + 4);
        leaves(client, pooler);
        let scan = Scan::from(run.finish());
        scan.finds(RULE)
            .is("warning", "certain")
            .names(&[&waiter])
            .tells("waits for key 1 in ")
            .tells("for a client that has left")
            .tells("client_connection_check_interval");
    });
}

#[test]
fn the_statement_of_the_finding_ends_the_wait() {
    behind(&Pooling::by_transaction(1), |db, pooler| {
        let holder = db.session("holder");
        holder.idle_with(1);
        let (client, waiter) = waiter(db, pooler);
        scan_both(db, pooler).is_silent_on(RULE);
        leaves(client, pooler);
        let found = scan_both(db, pooler).finds(RULE);
        // The tests of other files may come from the same address at this moment.
        found.names(&[&waiter]).tells("no console lists it");
        db.server().admin().runs(&found.sql());
        waiter.is_gone();
    });
}

#[test]
fn a_direct_waiter_of_the_same_address_is_at_most_possible() {
    behind(&Pooling::by_transaction(1), |db, pooler| {
        let holder = db.session_over_tcp("holder");
        holder.idle_with(1);
        pooler.session(db, "api").runs("SELECT 1");
        db.session_over_tcp("direct").waits_for(1);
        for found in scan_both(db, pooler).found(RULE) {
            found.is("info", "possible");
        }
    });
}
