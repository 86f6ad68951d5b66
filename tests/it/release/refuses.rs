//! What was named is not there: it says what is.

use super::{lives, release, release_with};
use crate::harness::{Server, lockaudit};

#[test]
fn a_wrong_key_is_answered_by_the_keys_that_it_holds_and_by_the_holder() {
    Server::each(|server| {
        let db = server.database("release");
        let (one, other) = (db.session("one"), db.session("other"));
        one.idle_with(1);
        other.idle_with(2);
        let outcome = release(&db, &one, "2").exits_with(2);
        let (name, one_pid, other_pid) = (db.name(), one.pid(), other.pid());
        assert_eq!(
            outcome.stderr,
            format!(
                "error: pid {one_pid} (one, postgres@{name}) does not hold key 2 in {name}\n  \
                 it holds key 1 in {name}\n  \
                 key 2 in {name} is held by pid {other_pid} (other, postgres@{name})\n"
            )
        );
        assert_eq!(outcome.stdout, "");
        release(&db, &one, "0,1")
            .exits_with(2)
            .complains("it holds key 1 in ")
            .complains("nobody holds key (0, 1) in ");
        assert!(lives(&one) && lives(&other));
    });
}

#[test]
fn the_same_key_of_another_database_is_another_lock() {
    let (here, there) = (
        Server::any().database("here"),
        Server::any().database("there"),
    );
    let theirs = there.session("theirs");
    theirs.idle_with(42);
    release(&here, &theirs, "42")
        .exits_with(2)
        .complains(&format!("it holds key 42 in {}", there.name()))
        .complains(&format!("nobody holds key 42 in {}", here.name()));
    release_with(
        &here.url(),
        &theirs,
        "42",
        &["--yes", "--database", "no_such"],
    )
    .exits_with(2)
    .complains("there is no database `no_such`");
    assert!(lives(&theirs));
}

#[test]
fn an_unknown_pid_a_waiter_and_a_session_without_locks_are_told_apart() {
    let db = Server::any().database("release");
    let (holder, waiter, bystander) = (
        db.session("holder"),
        db.session("waiter"),
        db.session("bystander"),
    );
    holder.idle_with(42);
    waiter.waits_for(42);
    lockaudit(&["release", &db.url(), "--pid", "1", "--key", "42", "--yes"])
        .exits_with(2)
        .complains("there is no session with pid 1\n")
        .complains(&format!("is held by pid {} (holder, ", holder.pid()));
    release(&db, &waiter, "42")
        .exits_with(2)
        .complains("waits for key 42")
        .complains("it holds no advisory lock");
    release(&db, &bystander, "42")
        .exits_with(2)
        .complains("does not hold key 42");
    lockaudit(&[
        "release",
        &db.url(),
        "--gid",
        "no-such",
        "--key",
        "42",
        "--yes",
    ])
    .exits_with(2)
    .complains("there is no prepared transaction 'no-such'");
    assert!(lives(&holder) && lives(&bystander));
}

#[test]
fn a_holder_and_a_key_must_be_named_rightly() {
    for (arguments, complaint) in [
        (&["--key", "42"][..], "--pid <PID>"),
        (&["--pid", "1"], "--key <KEY>"),
        (
            &["--pid", "1", "--key", "x"],
            "`x` is no key: write a bigint",
        ),
        (
            &["--pid", "1", "--gid", "g", "--key", "1"],
            "cannot be used with",
        ),
        (
            &["--pid", "1", "--key", "1", "--yes", "--dry-run"],
            "cannot be used with",
        ),
    ] {
        lockaudit(&[&["release"], arguments].concat())
            .exits_with(2)
            .complains(complaint);
    }
}
