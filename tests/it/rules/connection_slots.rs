//! `connection-slots`: what is left for ordinary roles, and in a database with a limit of its own.

use crate::harness::{
    Database, Found, Scan, Server, Session, fast_options, installations, scan, wait_for,
};

const RULE: &str = "connection-slots";

/// Ten connections, of which ordinary roles can use seven: with one setting, or with both.
fn small(server_major: u32) -> lockaudit::throwaway::ClusterOptions {
    let options = fast_options().max_connections(10);
    match server_major {
        ..16 => options.setting("superuser_reserved_connections", "3"),
        _ => options
            .setting("superuser_reserved_connections", "1")
            .setting("reserved_connections", "2"),
    }
}

/// Opens sessions until `total` are open; a scan's own comes on top.
fn open(server: &Server, sessions: &mut Vec<Session>, total: usize) {
    // The harness has one of them.
    while sessions.len() + 1 < total {
        sessions.push(Session::open(&server.address(), "api"));
    }
    let count = format!(
        "SELECT count(*) = {total} FROM pg_stat_activity WHERE backend_type = 'client backend'"
    );
    wait_for("the end of the last scan's session", || {
        server.admin().says(&count)
    });
}

#[test]
fn three_slots_left_are_a_warning_and_none_is_critical() {
    for installation in installations().filter(|found| [13, 15, 18].contains(&found.major)) {
        let server = Server::private(installation, small(installation.major));
        let url = server.address().url();
        let mut sessions = Vec::new();

        open(&server, &mut sessions, 2);
        Scan::of(&url, &[]).exits_with(0).is_silent_on(RULE);
        open(&server, &mut sessions, 3);
        Scan::of(&url, &[])
            .exits_with(1)
            .finds(RULE)
            .is("warning", "certain")
            .tells("3 of 7 connection slots are left for ordinary roles")
            .tells("max_connections is 10, the last 3 are reserved; 4 connections in use");
        open(&server, &mut sessions, 3);
        Scan::of(&url, &["--database", "template1"])
            .finds(RULE)
            .is("warning", "certain")
            .tells("4 connections in use");
        open(&server, &mut sessions, 6);
        Scan::of(&url, &[])
            .finds(RULE)
            .is("critical", "certain")
            .tells("no connection slot is left for ordinary roles: all 7 are taken");
        sessions[0].idle_with(1);
        open(&server, &mut sessions, 6);
        Scan::of(&url, &[])
            .finds(RULE)
            .tells("1 session holds an advisory lock and does nothing");
    }
}

#[test]
fn a_databases_own_limit_counts_too() {
    let server = apart();
    let db = server.database("limited");
    limit(&db, 8);
    let mut sessions: Vec<Session> = (0..3).map(|_| db.session("api")).collect();
    assert!(found_of(&db, &scan(&db)).is_none());
    sessions.push(db.session("api"));
    only_these(&db, &sessions);
    found_of(&db, &scan(&db))
        .expect("a finding")
        .is("warning", "certain")
        .tells("3 of 8 connection slots are left for database");
    sessions.extend((0..3).map(|_| db.session("api")));
    only_these(&db, &sessions);
    found_of(&db, &scan(&db))
        .expect("a finding")
        .is("critical", "certain")
        .tells("all 8 are taken");
}

#[test]
fn every_database_with_a_limit_is_looked_at() {
    let server = apart();
    let (roomy, full) = (server.database("roomy"), server.database("full"));
    limit(&roomy, 5);
    limit(&full, 1);
    let _few: Vec<Session> = (0..3).map(|_| roomy.session("api")).collect();
    let _all = full.session("api");
    let scan = Scan::of(&server.address().url(), &[]);
    let found = |db| found_of(db, &scan).expect("a finding of each");
    found(&full).is("critical", "certain");
    found(&roomy).is("warning", "certain");
}

#[test]
fn a_small_limit_that_nobody_uses_up_is_nothing() {
    let server = apart();
    let db = server.database("small_limit");
    for most in [0, 1, 3] {
        limit(&db, most);
        let scan = Scan::of(&server.address().url(), &[]);
        assert!(found_of(&db, &scan).is_none(), "{scan}");
    }
}

/// Every scan of a server tells of its limited databases, other tests' scans too.
fn apart() -> Server {
    Server::private(Server::any().cluster().installation(), fast_options())
}

fn limit(db: &Database<'_>, most: usize) {
    db.server().admin().runs(&format!(
        "ALTER DATABASE {} CONNECTION LIMIT {most}",
        db.name()
    ));
}

fn found_of(db: &Database<'_>, scan: &Scan) -> Option<Found> {
    let mut found = scan.found(RULE).into_iter();
    found.find(|found| found.mentions(db.name()))
}

/// Waits for the end of the last scan's session.
fn only_these(db: &Database<'_>, sessions: &[Session]) {
    let count = format!(
        "SELECT count(*) = {} FROM pg_stat_activity WHERE datname = '{}'",
        sessions.len(),
        db.name()
    );
    wait_for("the end of the last scan's session", || {
        db.server().admin().says(&count)
    });
}
