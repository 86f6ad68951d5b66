//! The snippet in SQL is a script of psql, and runs as it stands.

use std::fs;
use std::process::Command;

use lockaudit::snippet::{Language, Subject, snippet};
use tempfile::TempDir;

use super::{HOSTILE_NAME, make_tables, subject};
use crate::harness::{Database, Server, installations};

/// What psql prints, a row a line.
fn printed(db: &Database<'_>, subject: &Subject) -> String {
    let folder = TempDir::new().expect("a folder can be made");
    let file = folder.path().join("lease.sql");
    fs::write(&file, snippet(Language::Sql, subject)).expect("it can be written");
    let program = installations().find(|found| found.has_clients());
    let output = Command::new(program.expect("there is a psql").program("psql"))
        .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-f"])
        .arg(&file)
        .arg(db.url())
        .output()
        .expect("psql can be started");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
    String::from_utf8(output.stdout).expect("it writes UTF-8")
}

fn events(db: &Database<'_>) -> Vec<Option<String>> {
    let rows = db
        .session("reader")
        .rows("SELECT event FROM lockaudit_lease_log ORDER BY id");
    rows.into_iter().map(|mut row| row.remove(0)).collect()
}

#[test]
fn it_takes_renews_asks_and_releases_on_every_major() {
    Server::each(|server| {
        let db = server.database("snippet_script");
        make_tables(&db);
        let hostile = Subject {
            name: HOSTILE_NAME.parse().expect("a name"),
            ..subject()
        };
        for subject in [subject(), hostile] {
            let printed = printed(&db, &subject);
            assert!(printed.contains("|lease|f\n"), "it is renewed: {printed}");
        }
        let wanted = ["granted", "released", "granted", "released"];
        assert_eq!(events(&db), wanted.map(|event| Some(event.to_owned())));
    });
}

#[test]
fn in_mode_both_it_holds_the_old_key_too() {
    let server = Server::any();
    let db = server.database("snippet_script_both");
    make_tables(&db);
    db.session("owner")
        .runs("INSERT INTO lockaudit_lease (name, mode, key) VALUES ('sweep', 'both', 42)");
    let text = printed(&db, &subject());
    assert!(text.contains("|both|t\n"), "it is bridged: {text}");
}
