//! Where keys come from: a server for a while, files, maps; and what can't be seen.

use std::collections::BTreeSet;

use serde_json::json;

use super::{Folder, Planned};
use crate::harness::{Database, Lockaudit, Server, lockaudit, wait_for};

fn save(db: &Database<'_>, file: &str) {
    let words = ["scan", &db.url(), "--database", db.name(), "--save", file];
    assert!(lockaudit(&words).status.code().is_some_and(|code| code < 2));
}

/// The session of the plan that looks at this database.
fn ours(db: &Database<'_>) -> String {
    format!(
        "FROM pg_stat_activity WHERE application_name = 'lockaudit' AND datname = '{}'",
        db.name()
    )
}

fn wait_for_several_samples(db: &Database<'_>) {
    let admin = db.server().admin();
    let ended = format!(
        "SELECT max(query_start) {} AND state = 'idle' AND query = 'COMMIT'",
        ours(db)
    );
    let mut ends = BTreeSet::new();
    // What is read once ends with one too, so that of four some are of samples.
    wait_for("several samples", || {
        ends.extend(admin.value(&ended));
        ends.len() >= 4
    });
}

#[test]
fn short_locks_are_seen_by_many_files_in_any_order() {
    let db = Server::any().database("files");
    let folder = Folder::new();
    let worker = db.session("worker");
    let files = [folder.file("1"), folder.file("2"), folder.file("3")];
    save(&db, &files[0]);
    worker.idle_with(42);
    save(&db, &files[1]);
    worker.runs("SELECT pg_advisory_unlock(42)").idle_with(43);
    save(&db, &files[2]);
    let order = [
        "--input", &files[2], "--input", &files[0], "--input", &files[1],
    ];
    let planned = Planned::by(&[&order[..], &["--database", db.name()]].concat()).exits_with(0);
    assert_eq!(planned.document["samples"], 3);
    let first = planned.key("42");
    first
        .is("lease", "certain")
        .saw("seen_in_samples", json!(1));
    let most = first.0["seen"]["held_at_most_seconds"].as_f64();
    assert!(
        most.is_some_and(|most| most < 60.0),
        "bounded by the file before: {:#}",
        first.0
    );
    planned.key("43").is("lease", "certain");
}

#[test]
fn looking_for_a_while_takes_samples() {
    let db = Server::any().database("a_while");
    let worker = db.session("worker");
    worker.idle_with(42);
    let planned = Planned::of(&db, &["--for", "300ms", "--every", "50ms"]).exits_with(0);
    let samples = planned.document["samples"].as_u64();
    assert!(
        samples.is_some_and(|samples| (2..=7).contains(&samples)),
        "{samples:?}"
    );
    planned.key("42").saw("samples", json!(samples));
}

#[test]
fn ctrl_c_ends_the_looking_and_keeps_what_was_seen() {
    let db = Server::any().database("interrupted");
    let folder = Folder::new();
    let worker = db.session("worker");
    worker.idle_with(42);
    let file = folder.file("migration.toml");
    let words = [
        "migrate",
        "plan",
        &db.url(),
        "--database",
        db.name(),
        "--for",
        "10m",
        "--every",
        "20ms",
        "-o",
        &file,
    ];
    let running = Lockaudit::new(&words).start();
    wait_for_several_samples(&db);
    running.interrupt();
    running
        .finish()
        .exits_with(0)
        .complains("interrupted: the plan is made of")
        .complains("migration.toml is written")
        .says("lease");
    assert!(folder.read("migration.toml").contains("key = \"42\""));
}

#[test]
fn a_server_that_goes_away_leaves_what_was_seen() {
    let db = Server::any().database("goes_away");
    let worker = db.session("worker");
    worker.idle_with(42);
    let words = [
        "migrate",
        "plan",
        &db.url(),
        "--database",
        db.name(),
        "--for",
        "10m",
        "--every",
        "20ms",
    ];
    let running = Lockaudit::new(&words).start();
    wait_for_several_samples(&db);
    db.server()
        .admin()
        .runs(&format!("SELECT pg_terminate_backend(pid) {}", ours(&db)));
    running
        .finish()
        .exits_with(0)
        .complains("the looking ended before its time, and the plan is made of")
        .says("a session-level lock");
}

#[test]
fn a_privilege_that_is_lacking_is_said() {
    let server = Server::any();
    let (role, db) = (server.role("watcher"), server.database("masked"));
    let worker = db.session("worker");
    worker.idle_with(42);
    let url = db.url_as(role.name());
    lockaudit(&["migrate", "plan", &url, "--database", db.name()])
        .succeeds()
        .says("not seen: ")
        .says("GRANT pg_monitor");
    let planned = Planned::by(&[&url, "--database", db.name()]).exits_with(0);
    assert_eq!(
        planned.document["blind_spots"][0]["code"],
        "masked-sessions"
    );
    planned.key("42").is("lease", "certain");
}

#[test]
fn a_map_alone_asks_no_server() {
    let folder = Folder::new();
    let map = folder.write("map.toml", "[[name]]\nname = 'sweep'\nkey = '-7,-42'\n");
    let planned = Planned::by(&["--map", &map]).exits_with(0);
    let key = planned.key("-7,-42");
    key.is("lease", "possible").tells("it was never seen");
    assert_eq!(key.0["standing"], "not_looked_for");
    assert_eq!(planned.document["samples"], 0);
}

#[test]
fn what_can_not_be_answered_ends_with_2() {
    let folder = Folder::new();
    lockaudit(&["migrate", "plan", "host=/nowhere dbname=x"])
        .exits_with(2)
        .complains("/nowhere");
    lockaudit(&["migrate", "plan", "--input", &folder.file("none.json")])
        .exits_with(2)
        .complains("could not read");
    let db = Server::any().database("misspelled");
    lockaudit(&[
        "migrate",
        "plan",
        &db.url(),
        "--database",
        "no_such",
        "--for",
        "10m",
    ])
    .exits_with(2)
    .complains("there is no database `no_such`");
    lockaudit(&["migrate", "plan", &db.url(), "-o", "-"])
        .exits_with(2)
        .complains("names the file");
}
