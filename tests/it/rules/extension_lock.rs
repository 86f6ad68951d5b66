//! `extension-lock`: locks that only C code can take, taken by C code that the test compiles.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::harness::{Database, Scan, Server, Session, scan};

const RULE: &str = "extension-lock";
const SOURCE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/it/rules/extension_lock.c"
);

/// A library of its own for each database: one that a session has loaded must not change. The
/// compiler is the linker that Rust itself needs.
fn install(db: &Database<'_>) -> String {
    let server = db.server();
    let name = format!("{}.so", db.name());
    let folder = tempfile::tempdir().expect("a folder can be made");
    let built = folder.path().join(&name);
    let compiler = Command::new("cc")
        .args(["-shared", "-fPIC", "-Wall", "-Werror"])
        .arg(format!("-DMAJOR={}", server.major()))
        .arg("-o")
        .args([built.as_os_str(), SOURCE.as_ref()])
        .status();
    assert!(compiler.is_ok_and(|status| status.success()), "cc failed");
    let library = fs::read(&built).expect("the compiler wrote it");
    let cluster = server.cluster();
    cluster
        .write_file(&name, library)
        .expect("the server's folder can be written to");
    cluster.data_directory().join(name).display().to_string()
}

fn calls(session: &Session, library: &str, function: &str) {
    session.runs(&format!(
        "CREATE OR REPLACE FUNCTION {function}() RETURNS void LANGUAGE c AS '{library}'; SELECT {function}()"
    ));
}

#[test]
fn a_lock_in_a_key_space_or_a_mode_of_its_own_is_an_extensions() {
    Server::each(|server| {
        let db = server.database("extension");
        let library = install(&db);
        let (space, mode) = (db.session("space"), db.session("mode"));
        calls(&space, &library, "lock_in_another_key_space");
        calls(&mode, &library, "lock_in_another_mode");
        let scan = scan(&db);
        scan.finds(RULE)
            .is("info", "certain")
            .names(&[&space, &mode])
            .tells("2 advisory locks of an extension");

        let row = scan.lock_of(&space);
        assert_eq!(row["key"]["form"], "extension", "{scan}");
        assert_eq!(
            (&row["classid"], &row["objid"], &row["objsubid"]),
            (&1.into(), &42.into(), &7.into())
        );
        assert_eq!(row["key"]["unlock"], Value::Null, "{scan}");
        let row = scan.lock_of(&mode);
        assert_eq!(row["mode"], "AccessShareLock", "{scan}");
        assert_eq!(
            (&row["key"]["key1"], &row["key"]["key2"]),
            (&1.into(), &42.into())
        );
        assert_eq!(row["key"]["unlock"], Value::Null, "{scan}");
    });
}

#[test]
fn an_extensions_lock_blocks_like_any_other() {
    let server = Server::any();
    let db = server.database("extension_waits");
    let library = install(&db);
    let (holder, waiter) = (db.session("holder"), db.session("waiter"));
    calls(&holder, &library, "lock_in_another_key_space");
    waiter.is_blocked_in("SELECT lock_in_another_key_space()");
    let scan = scan(&db);
    scan.finds("blocked-waiters").names(&[&waiter]);
    scan.finds("idle-holder")
        .is("critical", "certain")
        .keeps_quiet_about("pg_advisory_unlock");
}

#[test]
fn a_lock_of_no_database_is_shown_without_one() {
    let server = Server::any();
    let db = server.database("extension_everywhere");
    let library = install(&db);
    let holder = db.session("holder");
    calls(&holder, &library, "lock_of_no_database");
    let scan = Scan::of(&db.url(), &[]);
    let row = scan.lock_of(&holder);
    assert_eq!(
        (&row["database"], &row["datname"]),
        (&0.into(), &Value::Null),
        "{scan}"
    );
}

#[test]
fn locks_that_sql_can_take_are_no_extensions() {
    let db = Server::any().database("no_extension");
    let session = db.session("sweep");
    session
        .idle_with(1)
        .idle_with_pair(1, 42)
        .idle_sharing((1, 42))
        .idle_sharing(-1);
    scan(&db).is_silent_on(RULE);
}
