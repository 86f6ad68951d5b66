//! Whose key it is: on the command line, and in a scan of a real server.

use std::path::{Path, PathBuf};

use lockaudit::key::hash::{crc32, hashtext};
use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{Server, lockaudit};

fn said(arguments: &[&str]) -> String {
    let outcome = lockaudit(&[&["keys"], arguments].concat());
    outcome.succeeds().without_complaint().tame().stdout
}

/// A document of `lockaudit keys … --format json`, as schema/keys.json promises it.
fn document(arguments: &[&str]) -> Value {
    let outcome =
        lockaudit(&[&["keys", arguments[0], "--format", "json"], &arguments[1..]].concat());
    let document = outcome.succeeds().without_complaint().json();
    let schema = include_str!("../../schema/keys.json");
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    let valid = jsonschema::validator_for(&schema).expect("the schema is one");
    assert!(valid.is_valid(&document), "{document}");
    document
}

fn written(folder: &TempDir, text: &str) -> PathBuf {
    let file = folder.path().join("names.toml");
    std::fs::write(&file, text).expect("a file can be written");
    file
}

fn path(file: &Path) -> &str {
    file.to_str().expect("the path is ASCII")
}

#[test]
fn explains_a_well_known_key() {
    insta::assert_snapshot!(said(&["explain", "72707369"]));
}

#[test]
fn explains_a_pair_of_negative_integers() {
    insta::assert_snapshot!(said(&["explain", "--", "-7", "-42"]));
    assert_eq!(
        said(&["explain", "-7", "-42"]),
        said(&["explain", "--", "-7,-42"])
    );
}

#[test]
fn explains_a_row_of_pg_locks_and_a_line_of_the_log() {
    let line = "LOG:  process 20051 still waiting for ExclusiveLock on advisory lock [16384,0,1,1]";
    insta::assert_snapshot!(said(&["explain", "18028/4163491309/1", line]));
}

#[test]
fn explains_a_key_that_is_made_of_the_databases_name() {
    let document = document(&["explain", "6939591962871035475", "--database", "app"]);
    let known = &document["keys"][0]["known"];
    assert_eq!(known[0]["id"], "rails-migrations");
    assert_eq!(known[0]["certainty"], "certain");
    assert_eq!(known.as_array().map(Vec::len), Some(1));
}

#[test]
fn explains_an_extension_s_lock() {
    insta::assert_snapshot!(said(&["explain", "0/102008/5"]));
}

#[test]
fn explains_by_the_user_s_names() {
    let folder = TempDir::new().expect("a folder can be made");
    let file = written(
        &folder,
        "[[name]]\nname = 'tenant-{1..500}'\nhash = 'hashtext'\n",
    );
    let key = hashtext("tenant-417").to_string();
    let document = document(&["explain", "--names", path(&file), "--", &key]);
    let known = &document["keys"][0]["known"][0];
    assert_eq!(known["tool"], "tenant-417");
    assert_eq!(known["origin"], "names");
    assert_eq!(known["certainty"], "certain");
}

#[test]
fn derives_every_key_of_a_name() {
    insta::assert_snapshot!(said(&["derive", "my-lock"]));
    insta::assert_snapshot!(said(&["derive", "my-lock", "--namespace", "-7"]));
    let document = document(&["derive", "x", "--database", "app", "--seed", "-7"]);
    assert!(
        document["tools"]
            .as_array()
            .is_some_and(|tools| tools.len() > 30)
    );
}

#[test]
fn lists_what_is_known() {
    let all = said(&["list"]);
    assert!(all.lines().count() > 100, "{all}");
    let tools = document(&["list"])["tools"].as_array().map(Vec::len);
    assert_eq!(tools, Some(all.lines().count() - 1));
    insta::assert_snapshot!(said(&["list", "flyway"]));
}

#[test]
fn what_is_not_understood_is_answered_with_what_would_be() {
    let refused = |arguments: &[&str]| lockaudit(&[&["keys"], arguments].concat()).exits_with(2);
    refused(&["list", "primsa"]).complains("near it: prisma-migrate");
    refused(&["list", "\u{1b}[31m"])
        .tame()
        .complains("no tool is called");
    refused(&["explain", "seven"]).complains("`seven` is no key: write a bigint");
    refused(&["explain"]).complains("KEY");
    refused(&["explain", "1", "--names", "/nowhere"]).complains("could not read /nowhere");
    refused(&[]).complains("Usage: lockaudit keys");
}

#[test]
fn a_scan_names_the_keys_that_it_finds() {
    Server::each(|server| {
        let db = server.database("named");
        let rails = 2_053_462_845 * i64::from(crc32(db.name()));
        let (prisma, other) = (db.session("prisma"), db.session("ruby"));
        prisma.idle_with(72_707_369);
        other.idle_with(rails);
        let scan = [
            "scan",
            &db.url(),
            "--database",
            db.name(),
            "--idle-after",
            "0s",
        ];
        let screen = lockaudit(&scan).exits_with(1);
        screen
            .says("72707369 (Prisma Migrate)")
            .says("whose key: Prisma Migrate (one run of its migrations at a time in a")
            .says(&format!("{rails} (Rails migrations)"))
            .says("whose key: Rails migrations");
        let document = lockaudit(&[&scan[..], &["-f", "json"]].concat()).valid_json();
        let locks = document["locks"].as_array().expect("locks");
        let known = |key: &str| {
            let lock = locks.iter().find(|lock| lock["key"]["key"] == key);
            lock.map(|lock| lock["known"][0].clone())
                .expect("the lock is there")
        };
        assert_eq!(known("72707369")["id"], "prisma-migrate");
        assert_eq!(known(&rails.to_string())["certainty"], "certain");
        assert_eq!(
            document["findings"][0]["keys"][0]["known"][0]["origin"],
            "registry"
        );
    });
}

#[test]
fn a_scan_knows_who_is_meant_to_hold() {
    let folder = TempDir::new().expect("a folder can be made");
    let db = Server::any().database("meant");
    let leader = db.session("leader");
    leader.idle_with(i64::from(hashtext("leadership")));
    let scan = |file: &Path| {
        let url = db.url();
        let scan = [
            "scan",
            &url,
            "--database",
            db.name(),
            "--idle-after",
            "0s",
            "-f",
            "json",
        ];
        let told = ["--names", path(file), "--expect", path(file)];
        let document = lockaudit(&[&scan[..], &told].concat()).valid_json();
        let finding = document["findings"][0].clone();
        assert_eq!(finding["rule"], "idle-holder");
        let expected = document["locks"][0]["expected"].clone();
        (
            finding["severity"].clone(),
            expected,
            finding["evidence"].to_string(),
        )
    };
    let file = |at_most: &str| {
        let text = format!(
            "[[name]]\nname = 'leadership'\nhash = 'hashtext'\npurpose = 'who leads'\n\n\
             [[expect]]\nname = 'leadership'\napplication_name = 'leader'\n{at_most}\
             because = 'it leads'\n"
        );
        written(&folder, &text)
    };
    let (severity, expected, evidence) = scan(&file("at_most = '2h'\n"));
    assert_eq!((severity, expected), ("info".into(), true.into()));
    assert!(
        evidence.contains("names.toml, line 6: it leads)"),
        "{evidence}"
    );
    assert!(
        evidence.contains("whose key: `leadership` (who leads), certain"),
        "{evidence}"
    );
    let (severity, expected, evidence) = scan(&file("at_most = '1ns'\n"));
    assert_eq!((severity, expected), ("warning".into(), false.into()));
    assert!(evidence.contains("over that by at least"), "{evidence}");
}

#[test]
fn a_file_of_names_that_is_wrong_stops_the_scan_before_it_connects() {
    let folder = TempDir::new().expect("a folder can be made");
    let file = written(&folder, "[[name]]\nname = 'a'\nhsah = 'crc32'\n");
    let scan = ["scan", "host=/nowhere", "--names", path(&file)];
    lockaudit(&scan)
        .exits_with(2)
        .complains("names.toml")
        .complains("line 3, column 1, `hsah = 'crc32'`: unknown field `hsah`");
}
