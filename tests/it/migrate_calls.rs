//! Advisory calls as `pg_stat_statements` counts them, on servers that have it, and what is said where
//! they can't be seen.

use std::cell::Cell;

use lockaudit::cutover::seed::Seed;
use lockaudit::cutover::{Calls, Direction, Step};
use lockaudit::key::AdvisoryKey;
use lockaudit::lease::{Bridge, Holder, Mode, Name, TableName, Wanted};
use lockaudit::pg::connect::Connection;
use lockaudit::pg::cutover::{Cutover, Wish};
use lockaudit::pg::lease::Leases;

use crate::destination::runtime;
use crate::harness::{Database, Server, fast_options};
use crate::lease_statements::{direct, open};

const AVAILABLE: &str =
    "SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_stat_statements')";

/// Runs it on a server of its own of each major that has the extension.
fn each_that_counts(test: impl Fn(&Database<'_>)) {
    let counting = Cell::new(0);
    Server::each(|shared| {
        if shared.admin().says(AVAILABLE) {
            counting.set(counting.get() + 1);
            let options = fast_options().setting("shared_preload_libraries", "pg_stat_statements");
            let server = Server::private(shared.cluster().installation(), options);
            test(&server.database("counted"));
        }
    });
    assert!(
        counting.get() > 0,
        "no PostgreSQL here has pg_stat_statements"
    );
}

async fn calls(session: &Connection) -> Calls {
    let table = TableName::default();
    let calls = Cutover::of(session, &table).calls().await;
    calls.unwrap_or_else(|error| panic!("{error:#}"))
}

fn counted(db: &Database<'_>) -> u64 {
    let calls = runtime().block_on(async { calls(&open(&direct(db), "postgres").await).await });
    match calls {
        Calls::Counted { calls, .. } => calls,
        Calls::Unseen(because) => panic!("{because}"),
    }
}

fn unseen(db: &Database<'_>, role: &str) -> String {
    let calls = runtime().block_on(async { calls(&open(&direct(db), role).await).await });
    match calls {
        Calls::Unseen(because) => because,
        Calls::Counted { calls, .. } => panic!("{calls} were counted"),
    }
}

#[test]
fn calls_of_old_code_are_counted_and_ours_are_not() {
    each_that_counts(|db| {
        let owner = db.session("owner");
        owner.runs("CREATE SCHEMA \"odd schema\"");
        owner.runs("CREATE EXTENSION pg_stat_statements SCHEMA \"odd schema\"");
        assert_eq!(counted(db), 0);
        for old in [
            "SELECT pg_advisory_lock(1), pg_advisory_unlock(1)",
            "SELECT pg_try_advisory_xact_lock(1, 2)",
            "select PG_CATALOG.PG_ADVISORY_XACT_LOCK(7)",
        ] {
            owner.runs(old);
        }
        assert_eq!(counted(db), 3);
        owner.runs("SELECT pg_advisory_lock_shared(1), pg_advisory_unlock_shared(1)");
        ours(db);
        assert_eq!(counted(db), 3);
        let plain = db.server().role("plain");
        owner.runs("GRANT USAGE ON SCHEMA \"odd schema\" TO PUBLIC");
        let because = unseen(db, plain.name());
        assert!(because.contains("pg_read_all_stats"), "{because}");
    });
}

/// A lease that probes the key, and steps that ask for it.
fn ours(db: &Database<'_>) {
    let table = TableName::default();
    let name: Name = "sweep".parse().expect("a name");
    runtime().block_on(async {
        let session = open(&direct(db), "postgres").await;
        let cutover = Cutover::of(&session, &table);
        let seeds = [Seed {
            name: name.clone(),
            key: AdvisoryKey::Single(7),
        }];
        let wish = Wish {
            seeds: &seeds,
            who: "tester",
            functions: true,
        };
        cutover.apply(wish).await.expect("it begins");
        for (from, take) in [(Mode::Advisory, true), (Mode::Both, false)] {
            let step = Step::of(Direction::Advance, from).expect("there is a way");
            let stepped = cutover.step(&name, step, ("tester", None)).await;
            assert!(stepped.expect("it answers").expect("it is there").moved);
            let wanted = Wanted {
                name: &name,
                holder: &Holder::of("host", 7, 1),
                ttl: std::time::Duration::from_secs(60),
                bridge: Bridge::Probe,
                reason: None,
            };
            if take {
                let taken = Leases::of(&session, &table).take(&wanted).await;
                assert!(taken.expect("it answers").is_some());
            }
        }
    });
}

#[test]
fn where_calls_are_not_counted_it_is_said_why() {
    Server::each(|server| {
        let db = server.database("uncounted");
        let because = unseen(&db, "postgres");
        assert_eq!(
            because,
            "pg_stat_statements is not installed in this database"
        );
        if server.admin().says(AVAILABLE) {
            db.session("owner")
                .runs("CREATE EXTENSION pg_stat_statements");
            let because = unseen(&db, "postgres");
            assert!(because.contains("shared_preload_libraries"), "{because}");
        }
    });
}
