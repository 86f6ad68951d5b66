//! Leaders: lost, ended, succeeded, and believed in.

use crate::harness::{Samples, Scan, Server, Session, fast_options, scan, scan_with};

/// LA-031: nobody waits, so from the server it is a key that is rightly passed on.
#[test]
fn a_leader_whose_pool_renews_its_connection_is_each_time_a_fresh_holder() {
    let db = Server::any().database("renewed");
    let mut samples = Samples::of(&db);
    let mut leader = db.session("scheduler");
    for _ in 0..3 {
        leader.disconnect();
        leader = db.session("scheduler");
        leader.idle_with(31);
        samples.take();
    }
    let scan = samples.judged().exits_with(0);
    assert_eq!(scan.rules(), ["idle-holder"], "{scan}");
    scan.finds("idle-holder")
        .is("info", "certain")
        .names(&[&leader]);
}

/// LA-032
#[test]
fn a_leader_that_a_time_limit_will_end_is_told_before_and_its_successor_after() {
    Server::each(|server| {
        if server.major() < 14 {
            return;
        }
        let role = server.role("leader");
        let db = server.database("limited");
        server.admin().runs(&format!(
            "ALTER ROLE {} SET idle_session_timeout = '1h'",
            role.name()
        ));
        let (leader, successor) = (db.session_as(role.name(), "one"), db.session("other"));
        leader.idle_with(2);
        successor.waits_for(2);
        let before = scan(&db).exits_with(1);
        before
            .finds("timeout-breaks-lock")
            .is("warning", "likely")
            .names(&[&leader])
            .tells("idle_session_timeout is 1h")
            .tells("the next waiter gets the lock then, while the old owner still believes in it");
        leader.runs("SET idle_session_timeout = '50ms'").is_gone();
        successor.is_seen("in possession", "state = 'idle'");
        let after = scan(&db);
        after.finds("idle-holder").names(&[&successor]);
        after
            .is_silent_on("timeout-breaks-lock")
            .is_silent_on("blocked-waiters");
    });
}

/// LA-033
#[test]
fn ending_a_leader_that_lives_makes_two_and_a_scan_warns_of_that_before() {
    let db = Server::any().database("two_leaders");
    let (leader, next) = (db.session("node-1"), db.session("node-2"));
    leader.idle_with(9999);
    let found = scan_with(&db, &["--idle-after", "0s"]).finds("idle-holder");
    found
        .is("warning", "certain")
        .tells("leave it if it is meant to hold")
        .tells("that work can then run twice");
    db.server().admin().runs(&found.sql());
    leader.is_gone();
    assert!(next.says("SELECT pg_try_advisory_lock(9999)"));
    scan(&db).finds("idle-holder").names(&[&next]);
}

/// LA-035
#[test]
fn a_waiter_that_its_time_limit_ended_leaves_an_idle_holder_without_a_waiter() {
    let db = Server::any().database("bounded_wait");
    let (old, new) = (db.session("machine-1"), db.session("machine-2"));
    old.idle_with(3);
    new.runs("SET statement_timeout = '50ms'");
    let refusal = new.tries("SELECT pg_advisory_lock(3)").unwrap_err();
    assert_eq!(refusal.code().map(|code| code.code()), Some("57014"));
    let scan = scan_with(&db, &["--idle-after", "0s"]).exits_with(1);
    assert_eq!(scan.rules(), ["idle-holder"], "{scan}");
    scan.finds("idle-holder")
        .is("warning", "certain")
        .names(&[&old]);
}

/// LA-037
#[test]
fn a_failover_leaves_the_primarys_leader_behind() {
    let installation = Server::any().cluster().installation();
    let mut primary = Server::private(installation, fast_options()).into_cluster();
    let standby = Server::around(primary.standby().expect("a standby can be made"));
    let primary = Server::around(primary);
    let on = |server: &Server| Session::open(&server.address(), "leader");
    let scan = |server: &Server| Scan::of(&server.address().url(), &["--idle-after", "0s"]);
    let (old, new) = (on(&primary), on(&standby));
    old.idle_with(9999);
    assert!(new.says("SELECT pg_try_advisory_lock(9999)"));
    scan(&standby)
        .finds("standby-lock")
        .is("warning", "certain")
        .names(&[&new]);

    assert!(new.says("SELECT pg_promote()"));
    let after = scan(&standby).exits_with(1);
    assert_eq!(after.document["server"]["in_recovery"], false, "{after}");
    assert_eq!(after.rules(), ["idle-holder"], "{after}");
    after.finds("idle-holder").names(&[&new]);
    scan(&primary).finds("idle-holder").names(&[&old]);
    drop((new, standby));
}
