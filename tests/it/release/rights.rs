//! Roles that may not see or may not signal: nothing is done, and the grant is named.

use super::{lives, release_with};
use crate::harness::{Server, lockaudit};

#[test]
fn who_cannot_see_the_holder_is_told_of_pg_monitor() {
    Server::each(|server| {
        let (plain, app) = (server.role("plain"), server.role("app"));
        let db = server.database("release");
        let holder = db.session_as(app.name(), "holder");
        holder.idle_with(42);
        release_with(&db.url_as(plain.name()), &holder, "42", &["--yes"])
            .exits_with(2)
            .complains("(holder, ")
            .complains("its start and state are hidden from this role")
            .complains("\nhint: run this as a member of pg_monitor");
        assert!(lives(&holder));
    });
}

#[test]
fn who_sees_but_may_not_signal_is_told_which_grant_would_do() {
    Server::each(|server| {
        let watcher = server.role("watcher").member_of("pg_read_all_stats");
        let app = server.role("app");
        let db = server.database("release");
        let holder = db.session_as(app.name(), "holder");
        holder.idle_with(42);
        let hint = format!(
            "\nhint: run this as a member of {app}, or of pg_signal_backend (GRANT pg_signal_backend TO {watcher})\n",
            app = app.name(),
            watcher = watcher.name()
        );
        release_with(&db.url_as(watcher.name()), &holder, "42", &["--yes"])
            .exits_with(2)
            .complains(&format!(
                "error: nothing done: {} may not end pid",
                watcher.name()
            ))
            .complains("(SQLSTATE 42501)")
            .complains(&hint);
        assert!(lives(&holder));
    });
}

#[test]
fn the_two_grants_that_are_named_are_enough() {
    Server::each(|server| {
        let operator = server
            .role("operator")
            .member_of("pg_monitor")
            .member_of("pg_signal_backend");
        let app = server.role("app");
        let db = server.database("release");
        let holder = db.session_as(app.name(), "holder");
        holder.idle_with(42);
        release_with(&db.url_as(operator.name()), &holder, "42", &["--yes"]).succeeds();
        assert!(!lives(&holder));
    });
}

#[test]
fn ones_own_sessions_need_no_grant() {
    Server::each(|server| {
        let app = server.role("app");
        let db = server.database("release");
        let holder = db.session_as(app.name(), "holder");
        holder.idle_with(42);
        release_with(&db.url_as(app.name()), &holder, "42", &["--yes"]).succeeds();
        assert!(!lives(&holder));
    });
}

#[test]
fn a_superusers_session_needs_a_superuser() {
    Server::each(|server| {
        let operator = server
            .role("operator")
            .member_of("pg_monitor")
            .member_of("pg_signal_backend");
        let db = server.database("release");
        let holder = db.session("holder");
        holder.idle_with(42);
        release_with(&db.url_as(operator.name()), &holder, "42", &["--yes"])
            .exits_with(2)
            .complains("(SQLSTATE 42501)")
            .complains("\nhint: postgres is a superuser, whose sessions only a superuser ends\n");
        assert!(lives(&holder));
    });
}

#[test]
fn set_role_holds_for_the_ending_too() {
    let server = Server::any();
    let watcher = server.role("watcher").member_of("pg_read_all_stats");
    let db = server.database("release");
    let holder = db.session("holder");
    holder.idle_with(42);
    release_with(
        &db.url(),
        &holder,
        "42",
        &["--yes", "--set-role", watcher.name()],
    )
    .exits_with(2)
    .complains(&format!("nothing done: {} may not end", watcher.name()));
    assert!(lives(&holder));
}

#[test]
fn a_holder_whose_activity_is_not_tracked_is_ended_with_a_warning() {
    Server::each(|server| {
        let db = server.database("release");
        let holder = db.session("holder");
        holder.runs("SET track_activities = off").idle_with(42);
        let pid = holder.pid().to_string();
        lockaudit(&["release", &db.url(), "--pid", &pid, "--key", "42", "--yes"])
            .succeeds()
            .tells("what it does is not known");
        assert!(!lives(&holder));
    });
}
