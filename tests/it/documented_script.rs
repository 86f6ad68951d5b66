//! The shell script of docs/leases.md, run as it stands there.

use std::process::{Command, Output};

use crate::harness::{Database, Server, lockaudit};

/// The indented lines that begin with the one that takes a lease.
fn script() -> String {
    let page = include_str!("../../docs/leases.md").lines();
    let from = page.skip_while(|line| !line.contains("lease take sweep"));
    let lines = from.map_while(|line| line.strip_prefix("    "));
    lines.collect::<Vec<_>>().join("\n")
}

/// With the program of this test as `lockaudit`.
fn run(db: &Database<'_>) -> Output {
    let script = format!("lockaudit() {{ \"$PROGRAM\" \"$@\"; }}\n{}", script());
    Command::new("/bin/sh")
        .args(["-c", &script])
        .env_clear()
        .env("PROGRAM", env!("CARGO_BIN_EXE_lockaudit"))
        .env("DATABASE_URL", db.url())
        .output()
        .expect("there is a shell")
}

#[test]
fn the_documented_script_does_not_go_on_without_the_lease() {
    let db = Server::any().database("script");
    lockaudit(&["lease", "init", "-d", &db.url()]).succeeds();
    let ran = run(&db);
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{ran:?}");
    assert!(said.contains("released: sweep"), "{said}");
    lockaudit(&["lease", "take", "sweep", "-d", &db.url()]).succeeds();
    let ran = run(&db);
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    assert!(ran.stdout.is_empty(), "{ran:?}");
}
