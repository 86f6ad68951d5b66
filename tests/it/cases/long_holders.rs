//! Locks that are held for long, and rightly or by an oversight.

use crate::harness::{Server, scan, scan_with};

/// LA-021
#[test]
fn of_a_holder_and_its_retries_only_the_holder_is_to_be_ended() {
    Server::each(|server| {
        let db = server.database("retries");
        let (shell, first, second) = (db.session("psql"), db.session("job"), db.session("job"));
        shell.idle_with(72_707_369);
        first.waits_for(72_707_369);
        second.waits_for(72_707_369);
        let scan = scan(&db).exits_with(1);
        let found = scan.finds("idle-holder");
        found.is("critical", "certain").names(&[&shell]);
        scan.finds("blocked-waiters")
            .names(&[&first, &second])
            .tells("act on the holders, never on the waiters");
        let statements: Vec<String> = ["idle-holder", "blocked-waiters"]
            .iter()
            .flat_map(|rule| scan.finds(rule).statements())
            .collect();
        assert_eq!(statements, [found.sql()]);
        server.admin().runs(&found.sql());
        shell.is_gone();
        first.is_seen("in possession", "state = 'idle'");
        second.is_seen("still waiting", "wait_event_type = 'Lock'");
    });
}

/// LA-022
#[test]
fn a_migration_that_builds_an_index_for_long_is_no_finding_while_others_poll() {
    Server::each(|server| {
        let db = server.database("slow_build");
        let (winner, polls) = (db.session("replica-1"), db.session("replica-2"));
        winner
            .runs(
                "CREATE TABLE carts AS SELECT 1 AS id;
                 CREATE FUNCTION slow(id int) RETURNS int LANGUAGE plpgsql IMMUTABLE
                 AS $$ BEGIN LOOP PERFORM 1; END LOOP; END $$",
            )
            .idle_with(8_675_309)
            .starts("CREATE INDEX ON carts (slow(id))")
            .is_seen(
                "building",
                "state = 'active' AND query LIKE 'CREATE INDEX%'",
            );
        assert!(!polls.says("SELECT pg_try_advisory_lock(8675309)"));
        let scan = scan_with(&db, &["--idle-after", "0s"]).exits_with(0);
        assert_eq!(scan.lock_of(&winner)["granted"], true, "{scan}");
        assert!(scan.rules().is_empty(), "{scan}");
    });
}

/// LA-029
#[test]
fn a_lock_for_every_workers_life_is_no_more_than_a_remark_or_a_warning_of_its_own() {
    let db = Server::any().database("signs_of_life");
    let workers = ["jobs"; 3].map(|name| db.session(name));
    for (worker, key) in workers.iter().zip(1..) {
        worker.idle_with(key);
    }
    let idle = db.session("jobs");
    idle.runs("SELECT 1");
    let remarks = scan_with(&db, &["--idle-after", "1h"]).exits_with(0);
    assert_eq!(remarks.rules(), ["idle-holder"; 3], "{remarks}");
    let warnings = scan_with(&db, &["--idle-after", "0s"]).exits_with(1);
    for found in warnings.found("idle-holder") {
        found
            .is("warning", "certain")
            .tells("leave it if it is meant to hold");
    }
    warnings.is_silent_on("blocked-waiters");
}
