//! `idle-in-transaction-holder`: an open transaction at rest, with a lock.

use crate::harness::{Server, scan, scan_with};

const RULE: &str = "idle-in-transaction-holder";

#[test]
fn a_transaction_at_rest_is_a_remark_then_a_warning_then_critical() {
    Server::each(|server| {
        let db = server.database("in_transaction");
        let (holder, waiter) = (db.session("mailer"), db.session("api"));
        holder.in_transaction_with(555);
        scan_with(&db, &["--idle-after", "1h"])
            .exits_with(0)
            .finds(RULE)
            .is("info", "certain");
        let scan = scan_with(&db, &["--idle-after", "0s"]).exits_with(1);
        scan.finds(RULE)
            .is("warning", "certain")
            .names(&[&holder])
            .tells("its transaction has been open for");
        scan.is_silent_on("idle-holder");
        assert_eq!(scan.lock_of(&holder)["scope"], "unknown");
        waiter.waits_for(555);
        scan_with(&db, &["--idle-after", "1h"])
            .finds(RULE)
            .is("critical", "certain");
    });
}

#[test]
fn a_transaction_without_an_advisory_lock_is_nothing() {
    let db = Server::any().database("no_lock");
    let session = db.session("mailer");
    session
        .runs("CREATE TABLE mails (id int)")
        .runs("BEGIN")
        .runs("INSERT INTO mails VALUES (1)");
    let scan = scan_with(&db, &["--idle-after", "0s"]).exits_with(0);
    assert!(scan.trouble().is_empty(), "{scan}");
}

#[test]
fn a_failed_transaction_leaves_the_sessions_lock() {
    Server::each(|server| {
        let db = server.database("failed");
        let holder = db.session("mailer");
        holder.idle_with(556).runs("BEGIN");
        holder.fails("SELECT 1 / 0");
        let scan = scan(&db);
        scan.finds(RULE)
            .names(&[&holder])
            .tells("its transaction has failed and can only be rolled back");
        let row = scan.lock_of(&holder);
        assert_eq!(
            (&row["scope"], &row["scope_basis"]),
            (&"session".into(), &"not_in_transaction".into())
        );
    });
}

#[test]
fn a_failed_transaction_gives_up_its_own_lock() {
    let db = Server::any().database("gave_up");
    let session = db.session("mailer");
    session.in_transaction_with(557);
    session.fails("SELECT 1 / 0");
    scan(&db).exits_with(0).is_silent_on(RULE);
}

#[test]
fn an_error_after_a_savepoint_leaves_the_lock_from_before_it() {
    Server::each(|server| {
        let db = server.database("savepoint");
        let holder = db.session("mailer");
        holder.in_transaction_with(558).runs("SAVEPOINT before");
        holder.fails("SELECT 1 / 0");
        let scan = scan(&db);
        scan.finds(RULE).names(&[&holder]).tells("has failed");
        assert_eq!(scan.lock_of(&holder)["scope"], "unknown");
    });
}

#[test]
fn a_rolled_back_savepoint_gives_up_the_lock_from_after_it() {
    let db = Server::any().database("rolled_back");
    let session = db.session("mailer");
    session
        .runs("BEGIN; SAVEPOINT before; SELECT pg_advisory_xact_lock(559)")
        .runs("ROLLBACK TO before");
    scan(&db).exits_with(0).is_silent_on(RULE);
}
