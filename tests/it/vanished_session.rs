//! A lock whose session was gone when the sessions were read: kept, marked, shown.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use lockaudit::key::AdvisoryTag;
use lockaudit::picture::Expectations;
use lockaudit::render::style::{Colour, Style};
use lockaudit::render::{json, table};
use lockaudit::report::Report;
use lockaudit::snapshot::{
    BlindSpot, ConnectionPath, Limits, Lock, LockMode, Owner, Server, Snapshot, Source, Target,
    Timeouts, Viewer, VirtualTransaction,
};
use serde_json::Value;

use crate::harness::conforms;

#[test]
fn a_lock_outlives_its_session_on_the_screen() {
    let snapshot = snapshot(vec![lock(4711, true), lock(4712, false)]);
    let (screen, _) = shown(&snapshot);
    assert!(screen.contains("4711"), "{screen}");
    assert!(screen.contains("gone"), "{screen}");
    assert!(screen.contains("pid 4712"), "{screen}");
}

#[test]
fn a_lock_outlives_its_session_in_json() {
    let (_, document) = shown(&snapshot(vec![lock(4711, true), lock(4712, false)]));
    conforms(&document);
    let lock = &document["locks"][0];
    assert_eq!(
        (&lock["pid"], &lock["granted"]),
        (&4711.into(), &true.into())
    );
    assert!(lock["held_at_least_seconds"].is_null() && lock["held_at_most_seconds"].is_null());
    assert_eq!(document["locks"][1]["blocked_by"][0]["pid"], 4711);
    assert_eq!(document["blind_spots"][0]["code"], "vanished-sessions");
}

fn shown(snapshot: &Snapshot) -> (String, Value) {
    let (source, expectations) = (Source::default(), Expectations::default());
    let samples = std::slice::from_ref(snapshot);
    let report = Report::of_samples(&source, samples, &expectations, |_| true);
    let report = report.expect("there is a sample");
    let plain = Style {
        colour: Colour::Plain,
        width: None,
    };
    let (mut screen, mut document) = (Vec::new(), Vec::new());
    table::write(&report, plain, &mut screen).expect("a buffer takes all");
    json::write(&report, &mut document).expect("a buffer takes all");
    let document = serde_json::from_slice(&document).expect("JSON");
    (String::from_utf8(screen).expect("UTF-8"), document)
}

fn lock(pid: i32, granted: bool) -> Lock {
    Lock {
        target: Target::Advisory {
            database: 5,
            tag: AdvisoryTag {
                classid: 0,
                objid: 42,
                objsubid: 1,
            },
        },
        mode: LockMode::Exclusive,
        granted,
        owner: Owner::Session(pid),
        virtualtransaction: VirtualTransaction {
            backend: 3,
            local: 7,
        },
        waitstart: None,
    }
}

fn snapshot(locks: Vec<Lock>) -> Snapshot {
    let captured_at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000);
    Snapshot {
        captured_at,
        server: Server {
            version_num: 150_018,
            version: "15.18".to_owned(),
            in_recovery: false,
            started_at: None,
            path: ConnectionPath::Direct,
        },
        viewer: Viewer {
            pid: 1,
            database: "orders".to_owned(),
            role: "auditor".to_owned(),
            superuser: true,
            reads_all_stats: true,
        },
        limits: Limits {
            max_connections: 100,
            max_locks_per_transaction: 64,
            ..Limits::default()
        },
        timeouts: Timeouts::default(),
        locks,
        left_out: 0,
        sessions: Vec::new(),
        prepared: Vec::new(),
        databases: BTreeMap::new(),
        relations: BTreeMap::new(),
        poolers: Vec::new(),
        blind_spots: vec![BlindSpot::VanishedSessions {
            pids: vec![4711, 4712],
        }],
    }
}
