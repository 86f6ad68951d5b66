//! Holders of every kind are ended, and what waited for them goes on.

use super::{lives, release, release_with};
use crate::harness::{Marks, Server, wait_for};

#[test]
fn an_idle_holder_is_ended_and_the_first_waiter_goes_on() {
    Server::each(|server| {
        let db = server.database("release");
        let (holder, first, second) = (
            db.session("holder"),
            db.session("first"),
            db.session("second"),
        );
        holder.idle_with(42);
        first.waits_for(42);
        second.waits_for(42);
        let outcome = release(&db, &holder, "42").succeeds().without_complaint();
        let shown = Marks::of(&outcome.stdout).replacing(db.name(), "<database>");
        let shown = if server.major() == 13 {
            // Before 14 the length of a wait is known by its query only.
            shown.replacing(
                "the longest for <duration> at most",
                "the longest for <duration>",
            )
        } else {
            shown
        };
        insta::allow_duplicates! {
            insta::assert_snapshot!(shown, @r"
            pid <pid> (holder, postgres@<database>)
              holds  key 42 in <database>: exclusive, session scope (held outside any transaction); held for at least <duration>, at most <duration> (the session's age)
              whose  possibly Immich (a backup of the database)
              state  idle for <duration>, connected for <duration>
              frees  2 sessions wait for it, the longest for <duration>: pids <pid>, <pid>; pid <pid> can go on then, 1 stays in the queue behind
              query  last statement (need not be the one that locked): SELECT pg_advisory_lock('42'::bigint)
              beware  if its process still works under the lock, that work can then run twice: it hears of the end of its session only when it next uses it
            ended: pid <pid> no longer holds key 42 in <database>; pid <pid> (first) holds it now; 1 session still waits
            ");
        }
        assert!(!lives(&holder) && lives(&first));
        assert!(first.says("SELECT pg_advisory_unlock(42)"));
    });
}

#[test]
fn the_others_of_a_shared_lock_keep_it() {
    Server::each(|server| {
        let db = server.database("release");
        let (one, other, waiter) = (db.session("one"), db.session("other"), db.session("waiter"));
        one.idle_sharing((-7, -42));
        other.idle_sharing((-7, -42));
        waiter.waits_for((-7, -42));
        release(&db, &one, "-7,-42")
            .succeeds()
            .tells("key (-7, -42)")
            .tells("shared, session scope")
            .tells("nobody can go on by that alone: other owners hold the same locks")
            .tells(&format!(
                "pid {} (other) holds it now; 1 session still waits",
                other.pid()
            ));
        assert!(!lives(&one) && lives(&other));
        release(&db, &other, "-7,-42").succeeds().tells("(waiter)");
    });
}

#[test]
fn a_session_with_two_locks_is_shown_with_both_and_loses_both() {
    let db = Server::any().database("release");
    let (holder, waiter) = (db.session("holder"), db.session("waiter"));
    holder.idle_with(1).idle_with(2);
    waiter.waits_for(2);
    release(&db, &holder, "1")
        .succeeds()
        .tells("also holds key 2 in ")
        .tells("nobody holds it now; nobody waits");
    wait_for("the waiter to go on", || waiter.says("SELECT true"));
}

#[test]
fn both_modes_of_one_session_go_with_it() {
    let db = Server::any().database("release");
    let holder = db.session("holder");
    holder.idle_with(7).idle_sharing(7);
    release(&db, &holder, "7")
        .succeeds()
        .tells("exclusive, session scope")
        .tells("nobody holds it now");
}

#[test]
fn an_open_transaction_is_rolled_back_and_that_is_said() {
    Server::each(|server| {
        let db = server.database("release");
        let (holder, other) = (db.session("holder"), db.session("other"));
        other.runs("CREATE TABLE work (done int)");
        holder
            .in_transaction_with(42)
            .runs("INSERT INTO work VALUES (1)");
        release(&db, &holder, "42")
            .succeeds()
            .tells("idle in transaction for ")
            .tells("its open transaction is rolled back");
        assert_eq!(other.number("SELECT count(*) FROM work"), 0);
    });
}

#[test]
fn a_running_statement_ends_with_its_session() {
    Server::each(|server| {
        let db = server.database("release");
        let holder = db.session("holder");
        holder.works_with(42);
        release(&db, &holder, "42")
            .succeeds()
            .tells("active for ")
            .tells("it is at work: its running statement ends with it");
        holder.is_gone();
    });
}

#[test]
fn the_key_of_another_database_is_meant_by_its_name() {
    let (here, there) = (
        Server::any().database("here"),
        Server::any().database("there"),
    );
    let (ours, theirs) = (here.session("ours"), there.session("theirs"));
    ours.idle_with(42);
    theirs.idle_with(42);
    release_with(
        &here.url(),
        &theirs,
        "42",
        &["--yes", "--database", there.name()],
    )
    .succeeds()
    .tells(&format!("key 42 in {}", there.name()));
    assert!(lives(&ours) && !lives(&theirs));
}

#[test]
fn a_key_is_also_taken_from_pg_locks_or_from_a_log_line() {
    let (here, there) = (
        Server::any().database("here"),
        Server::any().database("there"),
    );
    for (connected, key) in [
        (&there, "4294967295/4294967295/1".to_owned()),
        (&here, format!("[{},4294967295,4294967295,1]", there.oid())),
    ] {
        let holder = there.session("holder");
        holder.idle_with(-1);
        release(connected, &holder, &key)
            .succeeds()
            .tells(&format!("no longer holds key -1 in {}", there.name()));
    }
}
