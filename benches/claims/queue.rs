//! Long queues on one key, judged without a server: the time must grow with the queue, not with
//! its square.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Result;
use lockaudit::key::AdvisoryKey;
use lockaudit::picture::Expectations;
use lockaudit::report::Report;
use lockaudit::snapshot::{
    ConnectionPath, Limits, Lock, LockMode, Owner, Server, Session, SessionState, Sight, Snapshot,
    Source, Target, Viewer, VirtualTransaction,
};

use crate::pairs::{Spread, milliseconds};
use crate::places::Places;
use crate::sheet::{self, Verdict};

const RUNS: usize = 15;

/// Ten times the queue may take this many times as long.
const GOAL: f64 = 15.0;

pub fn measure(_: &Places) -> Result<()> {
    sheet::heading("queue: judging one holder and a queue behind it, without a server")?;
    let [short, long] = [500, 5_000].map(time_of);
    let ratio = long.median / short.median;
    sheet::line(&format!(
        "  500 waiters on one key: {:>8.2} ms",
        short.median
    ))?;
    sheet::line(&format!(
        "5,000 waiters on one key: {:>8.2} ms, {ratio:.1} times as long   {}",
        long.median,
        Verdict::of(ratio, GOAL)
    ))
}

fn time_of(waiters: i32) -> Spread {
    let snapshot = queue_of(waiters);
    let source = Source {
        host: String::new(),
        dbname: String::new(),
        user: String::new(),
    };
    let expectations = Expectations::default();
    let times = (0..RUNS).map(|_| {
        let begun = Instant::now();
        let report = Report::of_snapshot(&source, &snapshot, &expectations, |_| true);
        let took = milliseconds(begun.elapsed());
        assert_eq!(
            report.summary.figures.map(|figures| figures.waiters),
            Some(waiters as usize)
        );
        took
    });
    Spread::of(times.collect())
}

/// Session 1 holds the key and idles; all others want it.
fn queue_of(waiters: i32) -> Snapshot {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let mut snapshot = Snapshot {
        captured_at: now,
        server: server(),
        viewer: viewer(),
        limits: Limits::default(),
        locks: Vec::new(),
        sessions: Vec::new(),
        prepared: Vec::new(),
        databases: BTreeMap::new(),
        relations: BTreeMap::new(),
        blind_spots: Vec::new(),
    };
    for pid in 1..=waiters + 1 {
        let since = now - Duration::from_secs(10_000) + Duration::from_millis(pid as u64);
        snapshot.sessions.push(session(pid, since));
        snapshot.locks.push(lock(pid, since));
    }
    snapshot
}

fn lock(pid: i32, since: SystemTime) -> Lock {
    Lock {
        target: Target::Advisory {
            database: 5,
            tag: AdvisoryKey::Single(42).tag(),
        },
        mode: LockMode::Exclusive,
        granted: pid == 1,
        owner: Owner::Session(pid),
        virtualtransaction: VirtualTransaction {
            backend: pid,
            local: u32::from(pid != 1),
        },
        waitstart: (pid != 1).then_some(since),
    }
}

fn session(pid: i32, since: SystemTime) -> Session {
    Session {
        pid,
        sight: Sight::Full,
        datid: Some(5),
        datname: Some("orders".to_owned()),
        usename: Some("app".to_owned()),
        application_name: Some("worker".to_owned()),
        client_addr: None,
        client_port: Some(-1),
        backend_type: Some("client backend".to_owned()),
        backend_start: Some(since),
        xact_start: None,
        query_start: Some(since),
        state_change: Some(since),
        state: Some(match pid {
            1 => SessionState::Idle,
            _ => SessionState::Active,
        }),
        wait_event_type: None,
        wait_event: None,
        leader_pid: None,
        query: None,
    }
}

fn server() -> Server {
    Server {
        version_num: 180_000,
        version: "18.0".to_owned(),
        in_recovery: false,
        started_at: None,
        path: ConnectionPath::Direct,
    }
}

fn viewer() -> Viewer {
    Viewer {
        pid: 0,
        database: "orders".to_owned(),
        role: "auditor".to_owned(),
        superuser: true,
        reads_all_stats: true,
    }
}
