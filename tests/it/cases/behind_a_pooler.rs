//! Session-level locks through a pooler that shares connections by the transaction.

use crate::harness::{Database, Key, PgBouncer, Pooling, Psql, Samples, Scan, Server, Session};
use crate::harness::{scan, scan_with, wait_for};

fn through(pooling: &Pooling, test: impl Fn(&Database<'_>, &PgBouncer)) {
    let server = Server::any();
    if let Some(pooler) = PgBouncer::in_front_of(server, pooling) {
        test(&server.database("pooled"), &pooler);
    }
}

/// Locks on one connection of the pool and unlocks on the other, as the pooler pleases; gives the
/// connection that keeps the lock.
fn strands(db: &Database<'_>, pooler: &PgBouncer, lock: &str, unlock: &str) -> Session {
    let (migration, report) = (
        pooler.session(db, "migration"),
        pooler.session(db, "report"),
    );
    migration.runs(lock);
    report.runs("BEGIN; SELECT 'sales of today'");
    assert!(!migration.says(unlock), "another connection holds it");
    report.runs("ROLLBACK");
    let holder = format!(
        "SELECT pid FROM pg_locks JOIN pg_database d ON d.oid = database
         WHERE datname = '{}' AND locktype = 'advisory' AND granted",
        db.name()
    );
    Session::elsewhere(&db.address(), "report", db.server().admin().number(&holder))
}

/// What the console adds to the same picture: nobody is behind it, and so nobody unlocks for those who wait
/// or ask in vain.
#[track_caller]
fn is_a_leak(db: &Database<'_>, pooler: &PgBouncer, stranded: &Session) {
    let scan = scan_with(db, &["--pgbouncer", &pooler.stats_url()]).exits_with(1);
    scan.finds("pooler-leak")
        .is("critical", "certain")
        .names(&[stranded])
        .tells("its console shows no client linked to it")
        .tells(&format!("`RECONNECT {};`", db.name()));
    scan.is_silent_on("idle-holder");
}

/// LA-001, LA-016
#[test]
fn a_migration_lock_that_the_pooler_stranded_is_found_behind_the_last_borrower() {
    through(&Pooling::by_transaction(2), |db, pooler| {
        let stranded = strands(
            db,
            pooler,
            "SELECT pg_advisory_lock(1000)",
            "SELECT pg_advisory_unlock(1000)",
        );
        let pods = [db.session("pod-2"), db.session("pod-3")];
        for pod in &pods {
            pod.waits_for(1000);
        }
        let scan = scan(db).exits_with(1);
        let found = scan.finds("idle-holder");
        found
            .is("critical", "certain")
            .names(&[&stranded])
            .tells(&format!("key 1000 in {}", db.name()))
            .tells("session scope (held outside any transaction)")
            .tells("(report, ")
            .tells("last statement (need not be the one that locked): ROLLBACK")
            .tells(&format!("pid {} can go on then", pods[0].pid()));
        assert!(found.sql().contains("pg_terminate_backend"), "{found}");
        is_a_leak(db, pooler, &stranded);
        db.server().admin().runs(&found.sql());
        pods[0].is_seen("in possession", "state = 'idle'");
    });
}

/// LA-005
#[test]
fn a_stranded_lock_is_found_though_nobody_waits_for_it() {
    const KEY: i64 = 3_414_276_538_125_741_000;
    through(&Pooling::by_transaction(2), |db, pooler| {
        let stranded = strands(
            db,
            pooler,
            &format!("SELECT pg_try_advisory_lock({KEY})"),
            &format!("SELECT pg_advisory_unlock({KEY})"),
        );
        let next = db.session("next-deployment");
        assert!(!next.says(&format!("SELECT pg_try_advisory_lock({KEY})")));
        let scan = scan_with(db, &["--idle-after", "0s"]).exits_with(1);
        assert_eq!(scan.rules(), ["idle-holder"], "{scan}");
        scan.finds("idle-holder")
            .is("warning", "certain")
            .names(&[&stranded])
            .tells(&format!("key {KEY} in {}", db.name()));
        is_a_leak(db, pooler, &stranded);
    });
}

/// LA-006
#[test]
fn a_waiter_that_a_strangers_lock_timeout_ended_leaves_its_holder_to_be_found() {
    through(&Pooling::by_transaction(1), |db, pooler| {
        let stranger = pooler.session(db, "importer");
        stranger.runs("SELECT set_config('lock_timeout', '100ms', false)");
        let (holder, victim) = (db.session("queue"), pooler.session(db, "api"));
        holder.idle_with(4000);
        let refusal = victim.tries("SELECT pg_advisory_lock(4000)").unwrap_err();
        assert_eq!(refusal.code().map(|code| code.code()), Some("55P03"));
        let scan = scan_with(db, &["--idle-after", "0s"]).exits_with(1);
        assert_eq!(scan.rules(), ["idle-holder"], "{scan}");
        scan.finds("idle-holder")
            .is("warning", "certain")
            .names(&[&holder])
            .tells("nobody waits");
    });
}

/// LA-008
#[test]
fn two_clients_that_both_own_an_exclusive_lock_are_found_by_samples() {
    through(&Pooling::by_transaction(1), |db, pooler| {
        let (first, second) = (
            pooler.session(db, "billing"),
            pooler.session(db, "shipping"),
        );
        let mut samples = Samples::of(db);
        first.idle_with(2001);
        samples.take();
        second.idle_with(2001);
        samples.take();
        let scan = samples.judged().exits_with(1);
        scan.finds("false-exclusion")
            .is("critical", "likely")
            .names(&[&first])
            .tells("application_name `billing`, `shipping`")
            .tells("on a backend that 2 clients share")
            .tells("RECONNECT");
        assert_eq!(scan.document["summary"]["locks"], 1, "{scan}");
        assert!(first.says("SELECT pg_advisory_unlock(2001)"));
        assert!(second.says("SELECT pg_advisory_unlock(2001)"));
    });
}

/// LA-009
#[test]
fn two_migrations_under_one_lock_are_found_by_a_scan_that_is_lent_it_too() {
    through(&Pooling::by_transaction(1), |db, pooler| {
        let (one, other) = (pooler.session(db, "pod-1"), pooler.session(db, "pod-2"));
        for pod in [&one, &other] {
            assert!(pod.says("SELECT pg_try_advisory_lock(77)"));
        }
        one.runs("CREATE TABLE tenants ()");
        let refusal = other.tries("CREATE TABLE tenants ()").unwrap_err();
        assert_eq!(refusal.code().map(|code| code.code()), Some("42P07"));
        Scan::of(
            &pooler.address_of(db).url(),
            &["--database", db.name(), "--samples", "1"],
        )
        .exits_with(1)
        .finds("false-exclusion")
        .is("critical", "certain")
        .names(&[&one])
        .tells("lends to whoever comes");
    });
}

/// LA-010
#[test]
fn a_killed_client_leaves_its_lock_in_the_pool_unless_connections_are_shared_by_the_session() {
    let held = |db: &Database<'_>| {
        let key = Key::pair(999_125, 0).in_pg_locks();
        db.server().admin().says(&format!(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE {key} AND database = {})",
            db.oid()
        ))
    };
    let killed = |db: &Database<'_>, pooler: &PgBouncer| {
        let mut client = Psql::open(&pooler.address_of(db), "elixir");
        client.starts("SELECT pg_try_advisory_lock(999125, 0);");
        wait_for("the lock", || held(db));
        client.is_killed();
        client
    };
    through(&Pooling::by_session(1), |db, pooler| {
        killed(db, pooler);
        wait_for("DISCARD ALL", || !held(db));
    });
    through(&Pooling::by_transaction(1), |db, pooler| {
        let client = killed(db, pooler);
        let direct = db.session("elixir");
        assert!(!direct.says("SELECT pg_try_advisory_lock(999125, 0)"));
        scan_with(db, &["--idle-after", "0s"])
            .exits_with(1)
            .finds("idle-holder")
            .is("warning", "certain")
            .names(&[client.session()])
            .tells("key (999125, 0)");
        is_a_leak(db, pooler, client.session());
    });
}

/// LA-011
#[test]
fn a_lock_without_any_client_left_keeps_a_direct_session_waiting() {
    through(&Pooling::by_transaction(1), |db, pooler| {
        let holder = pooler.session(db, "writer").idle_with(1_234_500).pid();
        let again = pooler.session(db, "writer");
        again.idle_with(1_234_500);
        drop(again);
        wait_for("an empty pooler", || {
            let clients = pooler.console().rows("SHOW CLIENTS");
            !clients
                .iter()
                .flatten()
                .flatten()
                .any(|cell| cell == db.name())
        });
        let direct = db.session("direct");
        direct.waits_for(1_234_500);
        let stranded = Session::elsewhere(&db.address(), "writer", holder);
        scan(db)
            .exits_with(1)
            .finds("idle-holder")
            .is("critical", "certain")
            .names(&[&stranded])
            .tells(&format!("pid {} can go on then", direct.pid()));
        is_a_leak(db, pooler, &stranded);
    });
}

/// LA-013: nothing of it is to be seen from the server; only the pooler's settings tell, by its console.
#[test]
fn a_lock_that_the_pooler_dropped_at_once_is_not_there() {
    let resets = Pooling::by_transaction(1).setting("server_reset_query_always", "1");
    through(&resets, |db, pooler| {
        let (one, other) = (pooler.session(db, "billing"), db.session("shipping"));
        assert!(one.says("SELECT pg_try_advisory_lock(1)"));
        wait_for("the loss of the lock", || {
            other.says(
                "SELECT NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND database =
                 (SELECT oid FROM pg_database WHERE datname = current_database()))",
            )
        });
        let scan = scan(db).exits_with(0);
        assert!(scan.rules().is_empty(), "{scan}");
        scan_with(db, &["--pgbouncer", &pooler.stats_url()])
            .exits_with(1)
            .finds("lock-lost")
            .is("warning", "certain");
        assert!(other.says("SELECT pg_try_advisory_lock(1)"));
        assert!(!one.says("SELECT pg_advisory_unlock(1)"));
    });
}
