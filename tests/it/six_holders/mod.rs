//! Ten sessions wait behind six holders, of which no other tool names all: one idle and negative,
//! one of a pair, one shared, one prepared, one in a transaction, one in another database.
//!
//! A pair that waits for a table stands beside them, and is none of our business.

mod scene;

use serde_json::{Value, json};

use crate::harness::{Marks, Scan, Server, Session, items, lockaudit};
use scene::{GID, Group, SCENES, Scene};

#[test]
fn all_six_holders_are_named_with_their_keys_and_waiters_on_every_major() {
    for scene in SCENES.iter() {
        let scan = scene.scan_as("postgres").exits_with(1);
        assert_eq!(scan.document["summary"]["waiters"], 10, "{scan}");
        assert_eq!(scan.document["summary"]["holders"], 6, "{scan}");
        for group in &scene.groups {
            has_the_holder(&scan, group);
            has_the_waiters(&scan, group);
        }
        assert_eq!(
            scan.trouble(),
            [
                "blocked-waiters",
                "idle-holder",
                "idle-holder",
                "idle-holder",
                "idle-holder",
                "idle-in-transaction-holder",
                "prepared-holder"
            ],
            "{scan}"
        );
        assert_eq!(scan.blind_spots(), of_this_major(scene, &[]), "{scan}");
    }
}

#[test]
fn a_pair_that_waits_for_a_table_alone_has_no_part_in_it() {
    for scene in SCENES.iter() {
        let scan = scene.scan_as("postgres");
        for session in &scene.control {
            let pid = Value::from(session.pid());
            let has = |table: &str| items(&scan.document[table]).any(|row| row["pid"] == pid);
            assert!(has("sessions") && !has("locks") && !has("waits"), "{scan}");
            let mut findings = items(&scan.document["findings"]);
            assert!(
                findings.all(|one| !items(&one["pids"]).any(|named| *named == pid)),
                "{scan}"
            );
        }
    }
}

#[test]
fn the_screen_names_all_six_on_every_major() {
    for scene in SCENES.iter() {
        let screen = lockaudit(&["scan", &scene.url("postgres")]).exits_with(1);
        let held = section(&screen.stdout, "Advisory locks held");
        for group in &scene.groups {
            let key = key_on_screen(group);
            let row = held
                .iter()
                .find(|row| row.contains(&key) && row.contains(&format!(" {} ", group.datname)))
                .unwrap_or_else(|| panic!("{key} is missing in {screen}"));
            let holder = match &group.holder {
                Some(holder) => holder.pid().to_string(),
                None => format!("'{GID}'"),
            };
            assert!(row.contains(&holder), "{holder} is missing in {row}");
            assert!(row.ends_with(&format!(" {}", group.waiters.len())), "{row}");
        }
        for waiter in scene.waiters() {
            let tree = section(&screen.stdout, "Who waits for whom").join("\n");
            assert!(
                tree.contains(&format!("<- pid {} ", waiter.pid())),
                "{tree}"
            );
        }
    }
}

/// The README's first picture.
#[test]
fn the_screen_is_as_committed() {
    if let Some(scene) = SCENES.iter().find(|scene| scene.server.major() == 15) {
        let screen = lockaudit(&["scan", &scene.url("postgres")]).without_complaint();
        let screen = Marks::of(&screen.stdout);
        insta::assert_snapshot!(screen.replacing(&build_of(&scene.server), ""));
    }
}

/// ` (Debian 15.18-1)`, which follows the version where a distribution built it.
fn build_of(server: &Server) -> String {
    let version = server.admin().value("SHOW server_version");
    let version = version.expect("every server has one");
    version
        .find(" (")
        .map_or(String::new(), |at| version[at..].to_owned())
}

#[test]
fn a_role_without_grants_sees_all_six_and_is_told_what_is_hidden() {
    for scene in SCENES.iter() {
        let scan = scene.scan_as("auditor").exits_with(1);
        for group in &scene.groups {
            has_the_holder(&scan, group);
            has_the_waiters(&scan, group);
        }
        assert_eq!(
            scan.blind_spots(),
            of_this_major(scene, &["masked-sessions"]),
            "{scan}"
        );
        scan.finds("limited-visibility").is("warning", "certain");
        for found in scan.found("idle-holder") {
            found.is("critical", "likely").tells("its state hidden");
            assert!(found.statements().is_empty(), "{found}");
        }
        let in_transaction = scan.finds("idle-in-transaction-holder");
        in_transaction.is("critical", "possible");
        assert!(in_transaction.statements().is_empty(), "{in_transaction}");
        scan.finds("prepared-holder").is("critical", "certain");
        scan.finds("blocked-waiters").is("critical", "certain");
        assert!(!scan.to_string().contains("pg_terminate_backend"), "{scan}");
    }
}

#[test]
fn hidden_sessions_are_no_answer_to_a_strict_question() {
    for scene in SCENES.iter() {
        let strict = |role| lockaudit(&["scan", &scene.url(role), "--strict"]);
        strict("auditor").exits_with(2).says("not seen: ");
        strict("watcher").exits_with(1);
    }
}

#[test]
fn a_member_of_pg_monitor_sees_as_much_as_a_superuser() {
    for scene in SCENES.iter() {
        let scan = scene.scan_as("watcher");
        assert_eq!(scan.blind_spots(), of_this_major(scene, &[]), "{scan}");
        for found in scan.found("idle-holder") {
            found.is("critical", "certain");
            assert!(found.sql().contains("pg_terminate_backend"), "{found}");
        }
    }
}

#[track_caller]
fn has_the_holder(scan: &Scan, group: &Group) {
    let pid = group.holder.as_ref().map(Session::pid);
    let row = lock_rows(scan, group)
        .find(|row| row["granted"] == true)
        .unwrap_or_else(|| panic!("no holder of {} in {scan}", group.key));
    assert_eq!(row["pid"], json!(pid), "{scan}");
    assert_eq!(row["mode"], group.mode, "{scan}");
    assert_eq!(row["scope"], group.scope, "{scan}");
    assert_eq!(row["key"]["unlock"], group.key["unlock"], "{scan}");
    let gid = group.holder.is_none().then_some(GID);
    assert_eq!(row["prepared"]["gid"], json!(gid), "{scan}");
    let session = items(&scan.document["sessions"]).find(|row| row["pid"] == json!(pid));
    // A role without grants sees no state at all.
    if let Some(session) = session.filter(|session| session["hidden"] == false) {
        assert_eq!(session["state"], group.state, "{scan}");
    }
}

#[track_caller]
fn has_the_waiters(scan: &Scan, group: &Group) {
    let waiting = lock_rows(scan, group).filter(|row| row["granted"] == false);
    assert_eq!(waiting.count(), group.waiters.len(), "{scan}");
    let blocker = match &group.holder {
        Some(holder) => json!([{"pid": holder.pid(), "gid": null}]),
        None => json!([{"pid": null, "gid": GID}]),
    };
    for waiter in &group.waiters {
        assert_eq!(scan.lock_of(waiter)["blocked_by"], blocker, "{scan}");
        assert_eq!(scan.wait_of(waiter)["blocked_by"], blocker, "{scan}");
    }
}

fn lock_rows<'a>(scan: &'a Scan, group: &'a Group) -> impl Iterator<Item = &'a Value> {
    items(&scan.document["locks"]).filter(|row| {
        let same = |field: &str| row["key"][field] == group.key[field];
        row["datname"] == group.datname && ["form", "key", "key1", "key2"].into_iter().all(same)
    })
}

/// 13 does not say when a wait began, and we say so.
fn of_this_major<'a>(scene: &Scene, spots: &[&'a str]) -> Vec<&'a str> {
    let before_14 = (scene.server.major() < 14).then_some("wait-start");
    spots.iter().copied().chain(before_14).collect()
}

fn key_on_screen(group: &Group) -> String {
    match group.key["key"].as_str() {
        Some(key) => key.to_owned(),
        None => format!("({}, {})", group.key["key1"], group.key["key2"]),
    }
}

/// The lines under a heading, to the next empty one.
fn section<'a>(screen: &'a str, heading: &str) -> Vec<&'a str> {
    let lines = screen.lines().skip_while(|line| *line != heading);
    lines.skip(1).take_while(|line| !line.is_empty()).collect()
}
