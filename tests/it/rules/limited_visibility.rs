//! `limited-visibility`: a warning only where something hidden bears on the verdict.

use crate::harness::{Scan, Server, lockaudit};

const RULE: &str = "limited-visibility";

#[test]
fn a_hidden_holder_is_a_warning_to_a_role_without_grants() {
    Server::each(|server| {
        let (plain, monitor) = (
            server.role("plain"),
            server.role("monitor").member_of("pg_monitor"),
        );
        let db = server.database("hidden");
        let holder = db.session("sweep");
        holder.idle_with(1);
        let scan_as = |role: &str| Scan::of(&db.url_as(role), &["--database", db.name()]);

        let scan = scan_as(plain.name()).exits_with(1);
        scan.finds(RULE)
            .is("warning", "certain")
            .names(&[&holder])
            .tells("GRANT pg_monitor");
        assert_eq!(scan.document["visibility"]["pg_read_all_stats"], false);
        scan_as(monitor.name()).is_silent_on(RULE);
    });
}

#[test]
fn sessions_that_hide_nothing_of_interest_are_a_remark() {
    let server = Server::any();
    let plain = server.role("plain");
    let db = server.database("hidden_idly");
    let _somebody = db.session("api");
    let url = db.url_as(plain.name());
    let scan = Scan::of(&url, &["--database", db.name()]).exits_with(0);
    scan.finds(RULE).is("info", "certain").names(&[]);
    let verdict = scan.document["summary"]["verdict"].as_str();
    assert!(verdict.is_some_and(|verdict| verdict.contains("as far as could be seen")));
}

#[test]
fn the_sessions_of_ones_own_role_hide_nothing() {
    let server = Server::any();
    let plain = server.role("plain");
    let db = server.database("own_sessions");
    let holder = db.session_as(plain.name(), "sweep");
    holder.idle_with(1);
    let scan = Scan::of(
        &db.url_as(plain.name()),
        &["--database", db.name(), "--idle-after", "1h"],
    );
    scan.finds("idle-holder")
        .is("info", "certain")
        .names(&[&holder]);
}

#[test]
fn a_member_that_inherits_nothing_sees_nothing_more() {
    let server = Server::any();
    let plain = server.role("apart").member_of("pg_monitor");
    let db = server.database("apart");
    let holder = db.session("sweep");
    holder.idle_with(1);
    if server.major() >= 16 {
        server.admin().runs(&format!(
            "GRANT pg_monitor TO {} WITH INHERIT FALSE",
            plain.name()
        ));
    } else {
        server
            .admin()
            .runs(&format!("ALTER ROLE {} NOINHERIT", plain.name()));
    }
    Scan::of(&db.url_as(plain.name()), &["--database", db.name()])
        .finds(RULE)
        .names(&[&holder]);
    lockaudit(&[
        "scan",
        &db.url_as(plain.name()),
        "--set-role",
        "pg_monitor",
        "--strict",
        "--database",
        db.name(),
    ])
    .exits_with(0);
}
