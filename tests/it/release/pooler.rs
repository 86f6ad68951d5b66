//! Through a pooler in transaction mode, and holders that came through one.

use super::{lives, release, release_with};
use crate::harness::{PgBouncer, Pooling, Server};

#[test]
fn a_transaction_pooler_is_enough_to_end_a_session_and_is_left_clean() {
    Server::each(|server| {
        let db = server.database("release");
        let holder = db.session("holder");
        let Some(pooler) = PgBouncer::in_front_of(server, &Pooling::by_transaction(1)) else {
            return;
        };
        holder.idle_with(42);
        let url = pooler.address_of(&db).url();
        release_with(&url, &holder, "42", &["--yes"])
            .succeeds()
            .tells("we came through a pooler")
            .tells("RECONNECT");
        assert!(!lives(&holder));
        let next = pooler.session(&db, "next");
        assert_eq!(next.value("SHOW statement_timeout").as_deref(), Some("0"));
    });
}

#[test]
fn the_poolers_own_connection_is_never_ended_through_itself() {
    let server = Server::any();
    let db = server.database("release");
    let Some(pooler) = PgBouncer::in_front_of(server, &Pooling::by_transaction(1)) else {
        return;
    };
    let leak = pooler.session(&db, "leak");
    leak.idle_with(42);
    let url = pooler.address_of(&db).url();
    release_with(&url, &leak, "42", &["--yes"])
        .exits_with(2)
        .complains("it is the session that a pooler has lent us")
        .complains("connect to the server directly");
    release(&db, &leak, "42")
        .succeeds()
        .tells("nobody holds it now");
    assert!(lives(&pooler.session(&db, "next")), "its clients go on");
}

#[test]
fn a_pool_by_statement_ends_a_session_too_over_a_connection_that_it_has() {
    let server = Server::any();
    let db = server.database("release");
    let Some(pooler) = PgBouncer::in_front_of(server, &Pooling::by_statement(1)) else {
        return;
    };
    let holder = db.session("holder");
    holder.idle_with(42);
    let url = pooler.address_of(&db).url();
    release_with(&url, &holder, "42", &["--yes"])
        .exits_with(2)
        .complains("shares connections by the statement");
    assert!(lives(&holder));
    let neighbour = pooler.session(&db, "neighbour");
    release_with(&url, &holder, "42", &["--yes"]).succeeds();
    assert!(!lives(&holder));
    assert_eq!(neighbour.number("SELECT pg_backend_pid()"), neighbour.pid());
}

#[test]
fn the_console_is_no_database() {
    let db = Server::any().database("release");
    let holder = db.session("holder");
    let Some(pooler) = PgBouncer::in_front_of(Server::any(), &Pooling::by_transaction(1)) else {
        return;
    };
    let console = pooler.console_address().url();
    release_with(&console, &holder, "42", &["--yes"])
        .exits_with(2)
        .complains("this is PgBouncer's admin console");
}
