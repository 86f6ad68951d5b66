//! `lockaudit migrate plan --emit`.

use std::fs;

use lockaudit::lease::Bridge;
use lockaudit::snippet::{Language, Subject, snippet};
use tempfile::TempDir;

use super::{HOSTILE_NAME, subject};
use crate::harness::{Outcome, Server, lockaudit};

const MAP: &str = "\
[[name]]
name = \"sweep\"
key = 42
ttl = \"3m\"

[[name]]
name = \"bill\"
key = [-7, 42]
";

/// Two keys are held, which a map names.
fn planned(map: &str, arguments: &[&str]) -> Outcome {
    let db = Server::any().database("emit");
    let holder = db.session("worker");
    holder.idle_with(42);
    holder.idle_with_pair(-7, 42);
    let folder = TempDir::new().expect("a folder can be made");
    let file = folder.path().join("map.toml");
    fs::write(&file, map).expect("it can be written");
    let file = file.display().to_string();
    let url = db.url();
    let words = [
        "migrate",
        "plan",
        &url,
        "--database",
        db.name(),
        "--map",
        &file,
    ];
    lockaudit(&[&words, arguments].concat())
}

#[test]
fn it_prints_the_code_of_one_key_and_nothing_else() {
    for language in Language::ALL {
        let emitted = planned(MAP, &["--emit", language.as_str(), "--of", "sweep"]);
        let wanted = Subject {
            ttl: std::time::Duration::from_secs(180),
            ..subject()
        };
        let printed = emitted.succeeds().without_complaint().stdout;
        assert_eq!(printed, snippet(language, &wanted));
    }
}

#[test]
fn the_table_and_the_bridge_are_those_that_are_asked_for() {
    let words = [
        "--emit",
        "go",
        "--of",
        "bill",
        "--bridge",
        "probe",
        "--table",
        "jobs.leases",
    ];
    let code = planned(MAP, &words).succeeds().stdout;
    assert!(code.contains("bridge = \"probe\""), "{code}");
    assert!(code.contains("FROM \"jobs\".\"leases\" AS l"), "{code}");
    assert!(code.contains("pg_advisory_lock(-7, 42)"), "{code}");
}

#[test]
fn which_key_it_is_must_be_said_where_there_are_several() {
    let refused = planned(MAP, &["--emit", "go"]).exits_with(2);
    assert!(refused.stderr.contains("`bill`") && refused.stderr.contains("`sweep`"));
    assert_eq!(refused.stdout, "");
    let refused = planned(MAP, &["--emit", "go", "--of", "other"]).exits_with(2);
    assert!(
        refused.stderr.contains("nothing is called `other`"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_hostile_name_moves_no_cursor_whatever_the_language_is() {
    let name = HOSTILE_NAME.replace('\t', "");
    let quoted: String = name
        .chars()
        .map(|it| format!("\\U{:08X}", u32::from(it)))
        .collect();
    let map = MAP.replace("sweep", &quoted);
    for language in Language::ALL {
        let emitted = planned(&map, &["--emit", language.as_str(), "--of", &name]);
        let printed = emitted.succeeds().stdout;
        let wild = |it: char| it.is_control() && !matches!(it, '\n' | '\t') || it == '\u{202e}';
        assert!(!printed.contains(wild), "{language}: {printed}");
        let wanted = Subject {
            name: name.parse().expect("a name"),
            ttl: std::time::Duration::from_secs(180),
            bridge: Bridge::Hold,
            ..subject()
        };
        assert_eq!(printed, snippet(language, &wanted));
    }
}
