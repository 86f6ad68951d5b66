//! Session-level locks in an application's own pool: taken on one connection, missed on another.

use crate::harness::{Marks, Server, lockaudit, scan, scan_with};

/// LA-002
#[test]
fn a_lock_left_on_one_connection_of_a_pool_stops_the_next_release() {
    Server::each(|server| {
        let db = server.database("next_release");
        let (locked, unlocked) = (db.session("store"), db.session("store"));
        let machines = [db.session("store"), db.session("store")];
        locked.idle_with(8_675_309);
        assert!(!unlocked.says("SELECT pg_advisory_unlock(8675309)"));
        locked.runs("SELECT 'items of a cart'");
        for machine in &machines {
            machine.waits_for(8_675_309);
        }
        let scan = scan(&db).exits_with(1);
        let found = scan.finds("idle-holder");
        found
            .is("critical", "certain")
            .names(&[&locked])
            .tells("last statement (need not be the one that locked): SELECT 'items of a cart'")
            .tells(&format!(
                "pid {} can go on then, 1 stays in the queue behind",
                machines[0].pid()
            ));
        scan.finds("blocked-waiters")
            .names(&[&machines[0], &machines[1]])
            .tells("ending a waiter frees nothing");
        server.admin().runs(&found.sql());
        locked.is_gone();
        machines[0].is_seen("in possession", "state = 'idle'");
    });
}

/// LA-002, as people read it
#[test]
fn the_screen_of_a_lock_left_in_a_pool_is_as_committed() {
    let db = Server::any().database("next_release_screen");
    let (locked, machine) = (db.session("store"), db.session("store"));
    locked.idle_with(8_675_309).runs("SELECT 'items of a cart'");
    machine.waits_for(8_675_309);
    let outcome = lockaudit(&["scan", &db.url(), "--database", db.name()]).exits_with(1);
    let screen = Marks::of(&outcome.stdout)
        .replacing(db.name(), "<database>")
        .replacing(&format!("'advisory', {},", db.oid()), "'advisory', <oid>,");
    insta::assert_snapshot!(screen);
}

/// LA-014
#[test]
fn a_connection_at_rest_in_the_pool_with_a_lock_is_a_remark_that_becomes_a_warning() {
    let db = Server::any().database("returned");
    let (returned, other) = (db.session("web"), db.session("web"));
    assert!(returned.says("SELECT pg_try_advisory_lock(9)"));
    assert!(!other.says("SELECT pg_try_advisory_lock(9)"));
    scan_with(&db, &["--idle-after", "1h"])
        .exits_with(0)
        .finds("idle-holder")
        .is("info", "certain")
        .names(&[&returned]);
    scan_with(&db, &["--idle-after", "0s"])
        .exits_with(1)
        .finds("idle-holder")
        .is("warning", "certain")
        .names(&[&returned])
        .tells("nobody waits");
}

/// LA-015
#[test]
fn success_that_depends_on_the_connection_has_one_holder_behind_it() {
    let db = Server::any().database("by_chance");
    let pool = ["worker"; 3].map(|name| db.session(name));
    let takes = |at: usize| pool[at].says("SELECT pg_try_advisory_lock(15)");
    assert!(takes(0));
    assert!(!pool[1].says("SELECT pg_advisory_unlock(15)"));
    assert!(!takes(2));
    assert!(takes(0));
    let scan = scan_with(&db, &["--idle-after", "0s"]).exits_with(1);
    scan.finds("idle-holder")
        .is("warning", "certain")
        .names(&[&pool[0]]);
}

/// LA-034
#[test]
fn a_lock_taken_at_every_heartbeat_wants_an_unlock_for_each() {
    Server::each(|server| {
        let db = server.database("heartbeat");
        let (leader, successor) = (db.session("leader"), db.session("successor"));
        for _ in 0..3 {
            leader.idle_with(42);
        }
        assert!(leader.says("SELECT pg_advisory_unlock(42)"));
        successor.waits_for(42);
        let scan = scan(&db).exits_with(1);
        assert_eq!(scan.lock_of(&leader)["granted"], true);
        scan.finds("idle-holder")
            .is("critical", "certain")
            .names(&[&leader])
            .tells(
                "last statement (need not be the one that locked): SELECT pg_advisory_unlock(42)",
            )
            .tells("once for each lock call: pg_advisory_unlock(42)");
        leader.runs("SELECT pg_advisory_unlock(42), pg_advisory_unlock(42)");
        successor.is_seen("in possession", "state = 'idle'");
    });
}

/// LA-038
#[test]
fn a_lock_whose_answer_nobody_read_is_held_by_the_pool_that_polls_for_it() {
    let db = Server::any().database("lost_answer");
    let (gave_up, polls) = (db.session("election"), db.session("election"));
    gave_up
        .starts("SELECT pg_try_advisory_lock(28319)")
        .is_seen("idle", "state = 'idle' AND query LIKE '%28319%'");
    assert!(!polls.says("SELECT pg_try_advisory_lock(28319)"));
    scan_with(&db, &["--idle-after", "0s"])
        .exits_with(1)
        .finds("idle-holder")
        .is("warning", "certain")
        .names(&[&gave_up])
        .tells("key 28319");
}

/// LA-039: the grant and the time limit meet by chance on a server; here the limit comes surely after.
#[test]
fn a_call_that_failed_by_its_time_limit_may_have_locked_all_the_same() {
    let db = Server::any().database("failed_call");
    let (failed, next) = (db.session("ledger"), db.session("ledger"));
    failed.runs("SET statement_timeout = '50ms'");
    let refusal = failed
        .tries("SELECT pg_advisory_lock(900001), pg_sleep(600)")
        .unwrap_err();
    assert_eq!(refusal.code().map(|code| code.code()), Some("57014"));
    next.waits_for(900_001);
    let scan = scan(&db).exits_with(1);
    assert_eq!(scan.lock_of(&failed)["scope"], "session", "{scan}");
    scan.finds("idle-holder")
        .is("critical", "certain")
        .names(&[&failed])
        .tells(&format!("pid {} can go on then", next.pid()));
}
