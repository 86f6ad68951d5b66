//! Lock calls that ran more often, or elsewhere, than their authors thought.

use serde_json::json;

use crate::harness::{Database, Scan, Server, Session, scan};

/// LA-062: the planner calls the function once more for a row, `pg_locks` has one row for the key,
/// and an unlock that answered `true` has freed nothing.
#[test]
fn a_lock_taken_three_times_by_one_query_survives_two_unlocks() {
    Server::each(|server| {
        let db = server.database("stacked");
        let worker = db.session("job-runner");
        worker.runs("CREATE TABLE jobs AS SELECT 7 AS id").runs(
            "SELECT j.id FROM generate_series(1, 3) i, LATERAL (
                SELECT id FROM jobs WHERE id = 7 AND pg_try_advisory_lock(id + 0 * i)) j",
        );
        for _ in 0..2 {
            assert!(worker.says("SELECT pg_advisory_unlock(7)"));
            scan(&db)
                .finds("idle-holder")
                .names(&[&worker])
                .tells("holds key 7")
                .tells("once for each lock call: pg_advisory_unlock(7)");
        }
        assert!(worker.says("SELECT pg_advisory_unlock(7)"));
        assert_eq!(scan(&db).document["locks"], json!([]));
    });
}

fn thousand_jobs(db: &Database<'_>) -> Session {
    let worker = db.session("dequeue");
    worker.runs("CREATE TABLE jobs AS SELECT i AS id, i AS prio, false AS done FROM generate_series(1, 1000) i");
    worker
}

/// LA-063: since 12 a CTE is inlined, the lock call runs below the sort, and `LIMIT 1` comes last.
#[test]
fn a_sorted_query_with_limit_one_holds_a_thousand_locks() {
    Server::each(|server| {
        let db = server.database("limit");
        let worker = thousand_jobs(&db);
        let dequeue = "WITH next AS (SELECT id FROM jobs WHERE NOT done ORDER BY prio)
            SELECT id FROM next WHERE pg_try_advisory_lock(id) LIMIT 1";
        assert_eq!(worker.rows(dequeue).len(), 1);
        let scan = scan(&db);
        let found = scan.finds("many-locks-one-session");
        found
            .is("warning", "certain")
            .names(&[&worker])
            .tells("holds 1000 advisory locks")
            .tells("100 % of all advisory locks")
            .tells("WITH next AS (SELECT id FROM jobs")
            .tells("in WHERE, before LIMIT");
        scan.finds("idle-holder")
            .names(&[&worker])
            .tells("all at once: pg_advisory_unlock_all() (any other gives up its own)");
        assert!(
            !db.session("dequeue")
                .says("SELECT pg_try_advisory_lock(1000)")
        );

        worker.runs("SELECT pg_advisory_unlock_all()");
        self::scan(&db).is_silent_on("many-locks-one-session");
    });
}

/// LA-063, its near misses: the remedy, and the unsorted query that passes every small test.
#[test]
fn a_materialized_or_unsorted_query_holds_one_lock() {
    Server::each(|server| {
        let db = server.database("materialized");
        let worker = thousand_jobs(&db);
        for next in [
            "WITH next AS MATERIALIZED (SELECT id FROM jobs WHERE NOT done ORDER BY prio LIMIT 1)",
            "WITH next AS (SELECT id FROM jobs WHERE NOT done)",
        ] {
            worker.runs(&format!(
                "{next} SELECT id FROM next WHERE pg_try_advisory_lock(id) LIMIT 1"
            ));
            let scan = scan(&db);
            scan.is_silent_on("many-locks-one-session");
            scan.lock_of(&worker);
            worker.runs("SELECT pg_advisory_unlock_all()");
        }
    });
}

/// LA-065: the server warned that nobody owns the lock; the scan shows who does, and how it is undone.
#[test]
fn an_unlock_of_the_wrong_mode_or_form_leaves_the_lock_and_the_right_one_is_told() {
    Server::each(|server| {
        let db = server.database("mismatch");
        let worker = db.session("registry");
        for (lock, wrong) in [
            ("pg_advisory_lock_shared(42)", "pg_advisory_unlock(42)"),
            ("pg_advisory_lock(42)", "pg_advisory_unlock_shared(42)"),
            ("pg_advisory_lock(0, 42)", "pg_advisory_unlock(42)"),
            ("pg_advisory_lock(42)", "pg_advisory_unlock(0, 42)"),
        ] {
            worker.runs(&format!("SELECT {lock}"));
            assert!(!worker.says(&format!("SELECT {wrong}")), "{wrong}");
            let right = unlock_call(&scan(&db), &worker);
            scan(&db).finds("idle-holder").tells(&right);
            assert!(worker.says(&format!("SELECT {right}")), "{right}");
        }
    });
}

#[track_caller]
fn unlock_call(scan: &Scan, session: &Session) -> String {
    let call = scan.lock_of(session)["key"]["unlock"].as_str();
    call.expect("SQL can unlock it").to_owned()
}

/// LA-065: of another session's lock, of a transaction's, and of none at all.
#[test]
fn an_unlock_that_can_free_nothing_leaves_the_picture_as_it_is() {
    let db = Server::any().database("not_owned");
    let (worker, other) = (db.session("registry"), db.session("registry"));
    assert!(!other.says("SELECT pg_advisory_unlock(42)"));
    assert_eq!(scan(&db).document["locks"], json!([]));

    worker.idle_with(42);
    assert!(!other.says("SELECT pg_advisory_unlock(42)"));
    scan(&db)
        .finds("idle-holder")
        .names(&[&worker])
        .tells("false from any other");

    worker.runs("SELECT pg_advisory_unlock_all()");
    worker.in_transaction_with(42);
    assert!(!worker.says("SELECT pg_advisory_unlock(42)"));
    let scan = scan(&db);
    scan.finds("idle-in-transaction-holder")
        .names(&[&worker])
        .tells("scope not known")
        .keeps_quiet_about("pg_advisory_unlock(42) (");
    worker.runs("COMMIT");
    assert_eq!(self::scan(&db).document["locks"], json!([]));
}
