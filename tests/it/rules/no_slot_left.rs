//! `no-slot-left`: a server that has no room for the scan has answered it.

use serde_json::Value;

use crate::harness::{
    Scan, Server, Session, fast_options, installations, lockaudit, wait_for_some,
};

/// What a refused scan must look like, whatever refused it.
#[track_caller]
fn is_refused(url: &str, title: &str, servers_words: &str) {
    let scan = Scan::of(url, &[]).exits_with(1);
    scan.finds("no-slot-left")
        .is("critical", "certain")
        .tells(title)
        .tells(servers_words)
        .tells("SQLSTATE 53300");
    assert_eq!(scan.rules(), ["no-slot-left"]);
    assert_eq!(scan.blind_spots(), ["everything"]);
    for unread in [
        "server",
        "visibility",
        "locks",
        "sessions",
        "waits",
        "pools",
    ] {
        assert_eq!(
            scan.document.get(unread),
            Some(&Value::Null),
            "{unread} in {scan}"
        );
    }
    assert_eq!(scan.document["summary"]["waiters"], Value::Null, "{scan}");
    lockaudit(&["scan", url])
        .exits_with(1)
        .without_complaint()
        .says(&format!("CRITICAL  {title}"))
        .says("1. CRITICAL no-slot-left, certain");
    lockaudit(&["scan", url, "--strict"]).exits_with(2);
}

/// The slot of a session that was refused is free a moment after its end.
fn take(server: &Server, role: &str, number: usize) -> Vec<Session> {
    let address = server.address().as_role(role);
    let one = |_| wait_for_some("a free slot", || Session::try_open(&address, "api").ok());
    (0..number).map(one).collect()
}

#[test]
fn every_kind_of_slot_that_is_left_is_told_apart() {
    for installation in installations().filter(|found| [15, 18].contains(&found.major)) {
        let reserved = installation.major >= 16;
        let options = fast_options()
            .max_connections(6)
            .setting("superuser_reserved_connections", "2");
        let options = match reserved {
            true => options.setting("reserved_connections", "1"),
            false => options,
        };
        let server = Server::private(installation, options);
        server
            .admin()
            .runs("CREATE ROLE app LOGIN; CREATE ROLE helper LOGIN");
        let url = |role: &str| server.address().as_role(role).url();

        let mut open = match reserved {
            true => take(&server, "app", 2),
            false => take(&server, "app", 3),
        };
        if reserved {
            server
                .admin()
                .runs("GRANT pg_use_reserved_connections TO helper");
            is_refused(
                &url("app"),
                "no connection slot is left but the reserved ones",
                "pg_use_reserved_connections",
            );
            open.extend(take(&server, "helper", 1));
        }
        let words = match reserved {
            true => "SUPERUSER",
            false => "non-replication superuser connections",
        };
        is_refused(
            &url("helper"),
            "no connection slot is left for ordinary roles",
            words,
        );
        open.extend(take(&server, "postgres", 2));
        is_refused(
            &url("postgres"),
            "no connection slot is left, not even for superusers",
            "sorry, too many clients already",
        );
    }
}

#[test]
fn a_roles_limit_is_told() {
    let server = Server::any();
    let role = server.role("limited");
    server
        .admin()
        .runs(&format!("ALTER ROLE {} CONNECTION LIMIT 0", role.name()));
    let url = server.address().as_role(role.name()).url();
    is_refused(
        &url,
        "the role's CONNECTION LIMIT is reached",
        "too many connections for role",
    );
}

#[test]
fn a_databases_limit_is_told() {
    let server = Server::any();
    let role = server.role("plain");
    let db = server.database("closed");
    server
        .admin()
        .runs(&format!("ALTER DATABASE {} CONNECTION LIMIT 0", db.name()));
    is_refused(
        &db.url_as(role.name()),
        "the database's CONNECTION LIMIT is reached",
        "too many connections for database",
    );
}

#[test]
fn a_slot_that_is_left_is_no_refusal() {
    let server = Server::any();
    let role = server.role("limited");
    server
        .admin()
        .runs(&format!("ALTER ROLE {} CONNECTION LIMIT 1", role.name()));
    let db = server.database("one_left");
    Scan::of(&db.url_as(role.name()), &["--database", db.name()]).is_silent_on("no-slot-left");
}
