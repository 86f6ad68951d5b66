//! Group J: what made others move to leases, and what a plan says of it.

use serde_json::json;

use super::{Folder, Planned};
use crate::harness::{PgBouncer, Pooling, Server, lockaudit};

/// LA-102: one idle owner of a key for long, each hold a backend.
#[test]
fn a_leader_that_idles_with_its_lock_fits_a_lease() {
    Server::each(|server| {
        let db = server.database("elector");
        let leader = db.session("elector");
        leader.idle_with(102_000_102);
        let key = Planned::of(&db, &["--for", "200ms", "--every", "100ms"])
            .exits_with(0)
            .key("102000102");
        key.is("lease", "certain")
            .tells("each hold keeps a connection, and a lease keeps none")
            .saw("scopes", json!(["session"]));
        assert_eq!(key.0["ttl_seconds"], 120.0);
    });
}

/// LA-103: the session already owned the lock, since it was another client's before.
#[test]
fn a_lock_on_a_shared_backend_fits_a_lease_and_keeps_nobody_apart_until_then() {
    let server = Server::any();
    let db = server.database("dispatcher");
    let Some(pooler) = PgBouncer::in_front_of(server, &Pooling::by_transaction(1)) else {
        return;
    };
    let folder = Folder::new();
    let (first, second) = (pooler.session(&db, "tick-1"), pooler.session(&db, "tick-2"));
    let files = [folder.file("1"), folder.file("2")];
    for (ticker, file) in [&first, &second].into_iter().zip(&files) {
        assert!(ticker.says("SELECT pg_try_advisory_lock(17993, 1)"));
        lockaudit(&["scan", &db.url(), "--database", db.name(), "--save", file]);
    }
    Planned::by(&[
        "--input",
        &files[0],
        "--input",
        &files[1],
        "--database",
        db.name(),
    ])
    .exits_with(0)
    .key("17993,1")
    .is("lease", "certain")
    .tells("one backend that held it showed several names (tick-1, tick-2)")
    .tells("can't keep old code and new code apart");
    for ticker in [&first, &second] {
        assert!(ticker.says("SELECT pg_advisory_unlock(17993, 1)"));
    }
}

/// LA-105: what is held longer than a lease lasts must be renewed, four times a ttl.
#[test]
fn the_ttl_follows_the_longest_hold_that_was_seen() {
    let db = Server::any().database("timing");
    let folder = Folder::new();
    let holder = db.session("worker");
    holder.idle_with(105);
    let file = folder.file("saved.json");
    lockaudit(&["scan", &db.url(), "--database", db.name(), "--save", &file]);
    let saved = std::fs::read_to_string(&file).expect("it was saved");
    let mut saved: serde_json::Value = serde_json::from_str(&saved).expect("it is JSON");
    let idle_for = |saved: &mut serde_json::Value, minutes: u64| {
        let at = saved["samples"][0]["server"]["captured_at"]
            .as_str()
            .map(str::to_owned);
        let at = at.unwrap_or_else(|| panic!("a moment in {saved:#}"));
        let at = humantime::parse_rfc3339(&at).expect("a moment")
            - std::time::Duration::from_secs(minutes * 60);
        let sessions = saved["samples"][0]["sessions"].as_array_mut();
        for session in sessions.expect("there are sessions") {
            if session["application_name"] == "worker" {
                session["state_change"] = json!(humantime::format_rfc3339_micros(at).to_string());
                session["backend_start"] = json!(humantime::format_rfc3339_micros(at).to_string());
            }
        }
        saved.to_string()
    };
    for (minutes, seconds) in [(1, 120.0), (4, 480.0), (60, 120.0)] {
        let file = folder.write("aged.json", &idle_for(&mut saved, minutes));
        let planned = Planned::by(&["--input", &file, "--database", db.name()]);
        let key = planned.key("105");
        assert_eq!(
            key.0["ttl_seconds"], seconds,
            "{minutes} minutes: {:#}",
            key.0
        );
    }
}

/// LA-107: many leases are many writes.
#[test]
fn what_the_renewals_of_all_leases_cost_is_said() {
    let db = Server::any().database("writes");
    let folder = Folder::new();
    let tables: Vec<String> = (0..200)
        .map(|key| format!("[[name]]\nname = 'job {key}'\nkey = {}\n", 700_000 + key))
        .collect();
    let map = folder.write("map.toml", &tables.concat());
    let planned = Planned::of(&db, &["--map", &map]).exits_with(0);
    let writes = planned.document["summary"]["renewals_per_second"].as_f64();
    assert!(
        writes.is_some_and(|writes| (writes - 200.0 / 30.0).abs() < 1e-6),
        "{writes:?}"
    );
    lockaudit(&["migrate", "plan", "--map", &map])
        .succeeds()
        .says("they are 6.7 writes a second")
        .says("and 180 more keys");
}
