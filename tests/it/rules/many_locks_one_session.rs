//! `many-locks-one-session`: from the 32nd on.

use crate::harness::{Server, scan};

#[test]
fn the_thirty_second_lock_is_one_too_many() {
    let db = Server::any().database("many");
    let session = db.session("dequeue");
    session.runs("SELECT pg_advisory_lock(i) FROM generate_series(1, 31) i");
    scan(&db).is_silent_on("many-locks-one-session");
    session.idle_with(32);
    let scan = scan(&db);
    let found = scan.finds("many-locks-one-session");
    found
        .is("warning", "certain")
        .names(&[&session])
        .tells("holds 32 advisory locks");
    assert_eq!(found.keys(), 32);
}

#[test]
fn a_lock_taken_many_times_counts_once() {
    let db = Server::any().database("many_times");
    let session = db.session("dequeue");
    session.runs("SELECT pg_advisory_lock(1) FROM generate_series(1, 40) i");
    scan(&db).is_silent_on("many-locks-one-session");
}

#[test]
fn a_lock_call_before_limit_is_caught() {
    let db = Server::any().database("before_limit");
    let session = db.session("dequeue");
    session
        .runs("CREATE TABLE jobs AS SELECT i AS id FROM generate_series(1, 100) i")
        .runs("SELECT id FROM jobs WHERE pg_try_advisory_lock(id) ORDER BY id DESC LIMIT 1");
    scan(&db)
        .finds("many-locks-one-session")
        .tells("holds 100 advisory locks");
}
