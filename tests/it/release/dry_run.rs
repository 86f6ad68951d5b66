//! `--dry-run` prints a statement that does the same, and does nothing.

use std::process::Command;

use super::{lives, release_with};
use crate::harness::{Lockaudit, Server, lockaudit};

#[test]
fn its_statement_does_what_the_command_would_have_done() {
    Server::each(|server| {
        let db = server.database("release");
        for (key, prepare) in [
            ("42", "SELECT pg_advisory_lock(42)"),
            ("-7,-42", "BEGIN; SELECT pg_advisory_xact_lock(-7, -42)"),
        ] {
            let holder = db.session("it's \\ a\nholder");
            holder.runs(prepare);
            let outcome = release_with(&db.url(), &holder, key, &["--dry-run"])
                .succeeds()
                .without_complaint()
                .says("-- pid ");
            assert!(lives(&holder));
            let admin = db.session("psql");
            assert_eq!(admin.value(&outcome.stdout).as_deref(), Some("t"));
            holder.is_gone();
            assert_eq!(admin.value(&outcome.stdout), None, "once only");
        }
    });
}

#[test]
fn psql_takes_its_whole_output() {
    let server = Server::any();
    if !server.cluster().installation().has_clients() {
        return;
    }
    let db = server.database("release");
    let holder = db.session("holder");
    holder.idle_with(42);
    let outcome = release_with(&db.url(), &holder, "42", &["--dry-run"]).succeeds();
    let psql = server.cluster().installation().program("psql");
    let answer = Command::new(psql)
        .args(["-X", "-A", "-t", "-d", &db.url(), "-c", &outcome.stdout])
        .output()
        .expect("psql starts");
    assert_eq!(String::from_utf8_lossy(&answer.stdout), "t\n", "{answer:?}");
    holder.is_gone();
}

#[test]
fn a_prepared_holder_is_left_alone_and_its_way_out_shown() {
    Server::each(|server| {
        let db = server.database("release");
        let waiter = db.session("waiter");
        db.session("worker").prepared_with(42, "order-17");
        waiter.waits_for(42);
        let by_gid = ["release", &db.url(), "--gid", "order-17", "--key", "42"];
        let refused = lockaudit(&[&by_gid[..], &["--yes"]].concat())
            .exits_with(2)
            .says("\nROLLBACK PREPARED 'order-17';\n")
            .complains("prepared transaction 'order-17' is left alone: it has no session");
        let hint = format!(
            "roll it back (connected to {} as postgres or a superuser)",
            db.name()
        );
        refused.complains(&hint);
        let dry = lockaudit(&[&by_gid[..], &["--dry-run"]].concat()).succeeds();
        release_with(&db.url(), &waiter, "42", &["--yes"])
            .exits_with(2)
            .complains("waits for key 42")
            .complains("held by prepared transaction 'order-17'; if it is abandoned, roll it back");
        assert_eq!(waiter_count(&db), 1);
        db.session("psql").runs(&dry.stdout);
        assert_eq!(waiter_count(&db), 0);
    });
}

fn waiter_count(db: &crate::harness::Database<'_>) -> i32 {
    db.session("observer")
        .number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")
}

#[test]
fn without_a_terminal_it_wants_yes_and_does_nothing() {
    let db = Server::any().database("release");
    let holder = db.session("holder");
    holder.idle_with(42);
    let pid = holder.pid().to_string();
    let outcome = Lockaudit::new(&["release", &db.url(), "--pid", &pid, "--key", "42"])
        .stdin("y\n")
        .run()
        .exits_with(2)
        .says("(holder, ");
    assert_eq!(
        outcome.stderr,
        "error: nothing done: there is no terminal to ask on\nhint: pass --yes to end it without being asked\n"
    );
    assert!(lives(&holder));
}
