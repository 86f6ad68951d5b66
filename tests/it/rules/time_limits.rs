//! `timeouts-missing` and `timeout-breaks-lock`: the same settings, missed by waiters, feared by
//! holders.

use crate::harness::{Role, Server, scan};

const MISSING: &str = "timeouts-missing";
const BREAKS: &str = "timeout-breaks-lock";

fn set(server: &Server, role: &Role<'_>, setting: &str) {
    server
        .admin()
        .runs(&format!("ALTER ROLE {} SET {setting} = '1h'", role.name()));
}

#[test]
fn a_wait_without_an_end_is_a_remark() {
    let server = Server::any();
    let role = server.role("patient");
    let db = server.database("no_limit");
    let holder = db.session("sweep");
    holder.idle_with(2);
    let endless = db.session_as(role.name(), "api");
    endless.waits_for(2);
    scan(&db)
        .finds(MISSING)
        .is("info", "likely")
        .names(&[&endless])
        .tells("lock_timeout");
    for setting in ["lock_timeout", "statement_timeout"] {
        let bounded = server.role("bounded");
        let db = server.database("limit");
        set(server, &bounded, setting);
        let holder = db.session("sweep");
        holder.idle_with(1);
        let waiter = db.session_as(bounded.name(), "api");
        waiter.waits_for(1);
        scan(&db).is_silent_on(MISSING);
    }
}

#[test]
fn a_transaction_at_rest_without_an_end_is_a_remark() {
    let server = Server::any();
    let (endless, bounded) = (server.role("endless"), server.role("bounded"));
    let db = server.database("no_limit_at_rest");
    set(server, &bounded, "idle_in_transaction_session_timeout");
    let one = db.session_as(bounded.name(), "mailer");
    one.in_transaction_with(1);
    scan(&db).is_silent_on(MISSING);
    let other = db.session_as(endless.name(), "mailer");
    other.in_transaction_with(2);
    scan(&db)
        .finds(MISSING)
        .is("info", "likely")
        .names(&[&other])
        .tells("idle_in_transaction_session_timeout");
}

#[test]
fn a_time_limit_that_will_end_a_transaction_at_rest_is_a_warning() {
    let server = Server::any();
    let (bounded, free) = (server.role("bounded"), server.role("free"));
    let db = server.database("breaks");
    set(server, &bounded, "idle_in_transaction_session_timeout");
    let one = db.session_as(free.name(), "mailer");
    one.in_transaction_with(1);
    scan(&db).is_silent_on(BREAKS);
    let other = db.session_as(bounded.name(), "mailer");
    other.in_transaction_with(2);
    scan(&db)
        .exits_with(1)
        .finds(BREAKS)
        .is("warning", "likely")
        .names(&[&other])
        .tells("idle_in_transaction_session_timeout is 1h");
}

#[test]
fn a_time_limit_that_will_end_an_idle_holder_is_a_warning_from_14_on() {
    Server::each(|server| {
        if server.major() < 14 {
            return;
        }
        let role = server.role("bounded");
        let db = server.database("breaks_idle");
        set(server, &role, "idle_session_timeout");
        let holder = db.session_as(role.name(), "sweep");
        holder.idle_with(1);
        scan(&db)
            .finds(BREAKS)
            .names(&[&holder])
            .tells("idle_session_timeout is 1h");
        holder.works();
        scan(&db).is_silent_on(BREAKS);
    });
}

#[test]
fn a_time_limit_of_the_database_counts_unless_the_role_has_its_own() {
    let server = Server::any();
    let (plain, exempt) = (server.role("plain"), server.role("exempt"));
    let db = server.database("breaks_here");
    server
        .admin()
        .runs(&format!(
            "ALTER DATABASE {} SET idle_in_transaction_session_timeout = '2h'",
            db.name()
        ))
        .runs(&format!(
            "ALTER ROLE {} SET idle_in_transaction_session_timeout = 0",
            exempt.name()
        ));
    let (one, other) = (
        db.session_as(plain.name(), "mailer"),
        db.session_as(exempt.name(), "mailer"),
    );
    one.in_transaction_with(1);
    other.in_transaction_with(2);
    let scan = scan(&db);
    scan.finds(BREAKS).names(&[&one]).tells("is 2h");
    scan.finds(MISSING).names(&[&other]);
}

#[test]
fn the_limit_of_a_role_in_a_database_is_the_nearest() {
    let server = Server::any();
    let role = server.role("nearest");
    let db = server.database("breaks_nearest");
    let limit = "idle_in_transaction_session_timeout";
    let (role_name, db_name) = (role.name(), db.name());
    server
        .admin()
        .runs(&format!("ALTER ROLE {role_name} SET {limit} = '2h'"))
        .runs(&format!("ALTER DATABASE {db_name} SET {limit} = '3h'"));
    let holds = || {
        let session = db.session_as(role_name, "mailer");
        session.in_transaction_with(1);
        session
    };
    let holder = holds();
    scan(&db).finds(BREAKS).names(&[&holder]).tells("is 2h");
    holder.disconnect();
    server.admin().runs(&format!(
        "ALTER ROLE {role_name} IN DATABASE {db_name} SET {limit} = '1h'"
    ));
    let holder = holds();
    scan(&db).finds(BREAKS).names(&[&holder]).tells("is 1h");
    holder.disconnect();
    server.admin().runs(&format!(
        "ALTER ROLE {role_name} IN DATABASE {db_name} SET {limit} = 0"
    ));
    let _holder = holds();
    scan(&db).is_silent_on(BREAKS);
}

#[test]
fn a_time_limit_of_transactions_breaks_locks_from_17_on() {
    Server::each(|server| {
        if server.major() < 17 {
            return;
        }
        let role = server.role("bounded");
        let db = server.database("breaks_long");
        set(server, &role, "transaction_timeout");
        let (at_rest, at_work, idle) = (
            db.session_as(role.name(), "mailer"),
            db.session_as(role.name(), "export"),
            db.session_as(role.name(), "sweep"),
        );
        at_rest.in_transaction_with(1);
        at_work.works_with(2);
        idle.idle_with(3);
        let scan = scan(&db).exits_with(1);
        let found = scan.found(BREAKS);
        assert_eq!(found.len(), 2, "{scan}");
        for (found, session) in found.iter().zip([&at_rest, &at_work]) {
            found
                .is("warning", "likely")
                .names(&[session])
                .tells("transaction_timeout is 1h");
        }
    });
}
