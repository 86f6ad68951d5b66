//! What was shown changes before the answer: nothing is done, and it is said why.

use lockaudit::pg::release::Ending;
use lockaudit::release::Change;
use lockaudit::snapshot::SessionState::{Active, Idle, IdleInTransaction};

use super::lives;
use super::shown::Shown;
use crate::harness::{Server, Session};

#[test]
fn nothing_changed() {
    Server::each(|server| {
        let db = server.database("release");
        let holder = db.session("holder");
        holder.idle_with(42);
        let shown = Shown::of(&db, &holder, "42");
        // To keep a connection alive is no change of an idle holder.
        assert!(lives(&holder));
        assert_eq!(shown.end(), Ending::Told);
        holder.is_gone();
    });
}

#[test]
fn its_pid_was_given_to_another_session() {
    Server::each(|server| {
        let db = server.database("release");
        let holder = db.session("holder");
        holder.idle_with(42);
        let mut shown = Shown::of(&db, &holder, "42");
        holder.disconnect();
        let next = db.session("holder");
        next.idle_with(42);
        // As if the system had given the same number again.
        shown.guard.pid = next.pid();
        shown.is_refused_for(Change::AnotherSession);
        assert!(lives(&next));
    });
}

#[test]
fn it_ended_by_itself() {
    Server::each(|server| {
        let db = server.database("release");
        let holder = db.session("holder");
        holder.idle_with(42);
        let shown = Shown::of(&db, &holder, "42");
        holder.disconnect();
        shown.is_refused_for(Change::Ended);
    });
}

#[test]
fn it_gave_the_lock_up() {
    Server::each(|server| {
        let db = server.database("release");
        let holder = db.session("holder");
        holder.idle_with(42).idle_with(43);
        let shown = Shown::of(&db, &holder, "42");
        holder.runs("SELECT pg_advisory_unlock(42)");
        shown.is_refused_for(Change::GaveTheLockUp);
        // In share mode it is another lock.
        holder.idle_sharing(42);
        shown.is_refused_for(Change::GaveTheLockUp);
        // In the other key space too.
        holder.idle_with_pair(0, 42);
        shown.is_refused_for(Change::GaveTheLockUp);
        assert!(lives(&holder));
    });
}

#[test]
fn it_only_waits_for_the_lock_again() {
    let db = Server::any().database("release");
    let (holder, rival) = (db.session("holder"), db.session("rival"));
    holder.idle_with(42);
    let shown = Shown::of(&db, &holder, "42");
    holder.runs("SELECT pg_advisory_unlock(42)");
    rival.idle_with(42);
    holder.waits_for(42);
    shown.is_refused_for(Change::GaveTheLockUp);
}

#[test]
fn it_went_to_work() {
    Server::each(|server| {
        let db = server.database("release");
        let holder = db.session("holder");
        holder.idle_with(42);
        let shown = Shown::of(&db, &holder, "42");
        holder.runs("BEGIN");
        shown.is_refused_for(Change::State {
            was: Some(Idle),
            is: Some(IdleInTransaction),
        });
        holder.runs("COMMIT").works();
        shown.is_refused_for(Change::State {
            was: Some(Idle),
            is: Some(Active),
        });
    });
}

#[test]
fn it_went_on_to_another_transaction() {
    Server::each(|server| {
        let db = server.database("release");
        let holder = db.session("holder");
        holder.in_transaction_with(42);
        let shown = Shown::of(&db, &holder, "42");
        holder.runs("COMMIT").in_transaction_with(42);
        shown.is_refused_for(Change::AnotherTransaction);
        assert!(lives(&holder));
    });
}

#[test]
fn it_went_on_to_another_statement() {
    Server::each(|server| {
        let db = server.database("release");
        let holder = db.session("holder");
        holder.works_with(42);
        let shown = Shown::of(&db, &holder, "42");
        cancel(&holder, &db.session("other"));
        holder.works();
        shown.is_refused_for(Change::AnotherStatement);
        assert!(still_there(&holder, &db.session("other")));
    });
}

fn cancel(holder: &Session, other: &Session) {
    other.runs(&format!("SELECT pg_cancel_backend({})", holder.pid()));
    holder.is_seen("idle", "state = 'idle'");
}

fn still_there(holder: &Session, other: &Session) -> bool {
    other.says(&format!(
        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = {})",
        holder.pid()
    ))
}
