//! `key-in-two-forms` and `key-in-many-databases`: locks that look like one and are two.

use crate::harness::{Scan, Server, scan};

#[test]
fn a_key_held_as_a_bigint_and_as_a_pair_is_named() {
    let db = Server::any().database("two_forms");
    let (one, other) = (db.session("one"), db.session("other"));
    one.idle_with(-1);
    other.idle_with_pair(-1, -1);
    scan(&db)
        .finds("key-in-two-forms")
        .is("warning", "possible")
        .names(&[&one, &other]);
}

#[test]
fn a_bigint_and_a_pair_of_other_numbers_are_two_keys() {
    let db = Server::any().database("other_numbers");
    let (one, other) = (db.session("one"), db.session("other"));
    one.idle_with(1).idle_with(1 << 32);
    other.idle_with_pair(0, 2).idle_with_pair(1, 1);
    scan(&db).is_silent_on("key-in-two-forms");
}

#[test]
fn a_key_held_in_two_databases_is_a_remark() {
    let server = Server::any();
    let (here, there) = (server.database("here"), server.database("there"));
    let (one, other) = (here.session("one"), there.session("other"));
    one.idle_with(72_707_369);
    let both = || {
        let databases = ["--database", here.name(), "--database", there.name()];
        Scan::of(&here.url(), &databases)
    };
    other.idle_with_pair(0, 72_707_369).idle_with(72_707_370);
    both().is_silent_on("key-in-many-databases");
    other.idle_with(72_707_369);
    both()
        .finds("key-in-many-databases")
        .is("info", "certain")
        .names(&[&one, &other])
        .tells("72707369");
}
