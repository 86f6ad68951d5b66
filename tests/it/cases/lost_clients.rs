//! Clients that left without a goodbye, or might have: what stays of them on the server.

use crate::harness::{Psql, Scan, Server, scan, scan_with};

/// Computes until it is ended; no row is read or written.
const ENDLESS: &str = "DO $$ BEGIN LOOP PERFORM 1; END LOOP; END $$;";

/// LA-020
#[test]
fn the_work_of_a_killed_client_goes_on_under_its_lock() {
    Server::each(|server| {
        let db = server.database("still_works");
        let mut migration = Psql::open(&db.address(), "migration");
        migration
            .starts("SELECT pg_advisory_lock(72707369);")
            .starts(ENDLESS)
            .session()
            .is_seen("at work", "state = 'active' AND query LIKE 'DO%'");
        let holder = migration.is_killed();
        let retry = db.session("migration");
        retry.waits_for(72_707_369);
        let scan = scan_with(&db, &["--idle-after", "0s"]).exits_with(1);
        assert_eq!(scan.lock_of(holder)["granted"], true, "{scan}");
        scan.is_silent_on("idle-holder")
            .is_silent_on("zombie-holder");
        let found = scan.finds("blocked-waiters");
        found
            .is("warning", "certain")
            .names(&[&retry])
            .tells(&format!("behind pid {}", holder.pid()))
            .tells("is at work: let it finish, or cancel its statement");
        assert!(found.sql().contains("pg_cancel_backend"), "{found}");
        server.admin().runs(&found.sql());
        holder.is_gone();
        retry.is_seen("in possession", "state = 'idle'");
    });
}

/// LA-023
#[test]
fn a_killed_leader_sleeps_on_under_its_lock() {
    Server::each(|server| {
        let db = server.database("sleeps_on");
        let mut leader = Psql::open(&db.address(), "leader");
        leader
            .starts("SELECT pg_advisory_lock(6); SELECT pg_sleep(2147483);")
            .session()
            .is_seen("asleep", "wait_event = 'PgSleep'");
        let holder = leader.is_killed();
        let successor = db.session("leader");
        successor.waits_for(6);
        let scan = scan_with(&db, &["--idle-after", "0s"]).exits_with(1);
        let found = scan.finds("zombie-holder");
        found
            .is("critical", "possible")
            .names(&[holder])
            .tells("active in PgSleep")
            .tells("ask this host whether the process is still there")
            .tells(&format!("pid {} can go on then", successor.pid()))
            .tells("client_connection_check_interval");
        assert!(found.sql().contains("pg_terminate_backend"), "{found}");
        server.admin().runs(&found.sql());
        successor.is_seen("in possession", "state = 'idle'");
    });
}

/// LA-023, its cure
#[test]
fn a_server_that_looks_after_its_clients_frees_the_lock_of_a_killed_one() {
    let server = Server::any();
    if server.major() < 14 {
        return;
    }
    let db = server.database("looks_after");
    let mut leader = Psql::open(&db.address(), "leader");
    leader
        .starts("SET client_connection_check_interval = '50ms';")
        .starts("SELECT pg_advisory_lock(6); SELECT pg_sleep(2147483);")
        .session()
        .is_seen("asleep", "wait_event = 'PgSleep'");
    leader.is_killed().is_gone();
    scan(&db).exits_with(0);
}

/// LA-025: a frozen client stands for a cut cable; the server sees the same of both.
#[test]
fn a_client_that_may_be_dead_is_never_called_dead() {
    let db = Server::any().database("cut_off");
    let mut changes = Psql::open(&db.address(), "changelog");
    changes
        .starts("SELECT pg_advisory_lock(33);")
        .session()
        .is_seen("idle", "state = 'idle' AND query LIKE '%(33)%'");
    changes.freeze();
    let next = db.session("changelog");
    next.waits_for(33);
    scan(&db)
        .exits_with(1)
        .finds("idle-holder")
        .is("critical", "certain")
        .names(&[changes.session()])
        .tells("if its process still works under the lock, that work can then run twice")
        .keeps_quiet_about("dead");
}

/// LA-026
#[test]
fn a_predecessor_and_its_successor_of_one_name_are_told_apart() {
    let db = Server::any().database("restarted");
    let mut before = Psql::open(&db.address().over_tcp(), "gateway");
    before
        .starts("SELECT pg_advisory_lock(26);")
        .session()
        .is_seen("idle", "state = 'idle' AND query LIKE '%(26)%'");
    before.freeze();
    let after = db.session("gateway");
    after.waits_for(26);
    let scan = scan(&db).exits_with(1);
    scan.finds("idle-holder")
        .names(&[before.session()])
        .tells(&format!("pid {} can go on then", after.pid()));
    scan.finds("blocked-waiters").names(&[&after]);
}

/// LA-028
#[test]
fn a_backups_lock_in_another_database_is_named_by_its_application() {
    let server = Server::any();
    let (maintenance, elsewhere) = (server.database("maintenance"), server.database("elsewhere"));
    let mut backup = Psql::open(&maintenance.address(), "archiver [backup]");
    backup
        .starts("SELECT pg_advisory_lock(12340987);")
        .session()
        .is_seen("idle", "state = 'idle' AND query LIKE '%12340987%'");
    backup.freeze();
    let here = Scan::of(&elsewhere.url(), &["--idle-after", "0s"]).exits_with(1);
    let found = here.found("idle-holder");
    let found = found
        .iter()
        .find(|found| found.mentions(maintenance.name()))
        .unwrap_or_else(|| panic!("no holder of {} in {here}", maintenance.name()));
    found
        .is("warning", "certain")
        .names(&[backup.session()])
        .tells("archiver [backup]");
}
