//! Snapshots planted by tests, in sentences.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use crate::key::AdvisoryKey;
use crate::snapshot::{
    ConnectionPath, Database, Limits, Lock, LockMode, OtherTarget, Owner, PreparedTransaction,
    Server, Session, SessionState, Sight, Snapshot, Target, Timeouts, Viewer, VirtualTransaction,
};

/// The database of every planted lock and session.
pub(crate) const DATABASE: u32 = 16_384;

/// The moment of every planted snapshot.
pub(crate) fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

pub(crate) fn ago(seconds: u64) -> SystemTime {
    now() - Duration::from_secs(seconds)
}

/// A server on which nothing happens.
pub(crate) fn quiet() -> Snapshot {
    Snapshot {
        captured_at: now(),
        server: Server {
            version_num: 150_018,
            version: "15.18".to_owned(),
            in_recovery: false,
            started_at: Some(ago(1_000_000)),
            path: ConnectionPath::Direct,
        },
        timeouts: Timeouts::default(),
        viewer: Viewer {
            pid: 1,
            database: "orders".to_owned(),
            role: "auditor".to_owned(),
            superuser: true,
            reads_all_stats: true,
        },
        limits: Limits {
            max_connections: 100,
            superuser_reserved_connections: 3,
            reserved_connections: None,
            max_locks_per_transaction: 64,
            max_prepared_transactions: 0,
            autovacuum_workers: 3,
            max_worker_processes: 8,
            max_wal_senders: 10,
            track_activities: true,
        },
        locks: Vec::new(),
        left_out: 0,
        sessions: Vec::new(),
        prepared: Vec::new(),
        databases: BTreeMap::from([(
            DATABASE,
            Database {
                name: "orders".to_owned(),
                connection_limit: None,
            },
        )]),
        relations: BTreeMap::new(),
        blind_spots: Vec::new(),
    }
}

pub(crate) trait Plant: Sized {
    fn session(self, pid: i32, state: SessionState) -> Self;
    fn named(self, pid: i32, application: &str) -> Self;
    fn masked(self, pid: i32) -> Self;
    fn holds(self, pid: i32, key: i64) -> Self;
    fn shares(self, pid: i32, key: i64) -> Self;
    fn holds_in_transaction(self, pid: i32, key: i64) -> Self;
    fn waits(self, pid: i32, key: i64, seconds: u64) -> Self;
    fn waits_to_share(self, pid: i32, key: i64, seconds: u64) -> Self;
    fn prepared(self, gid: &str, xid: u32, key: i64) -> Self;
    fn table_lock(self, pid: i32, relation: u32, granted: bool) -> Self;
}

impl Plant for Snapshot {
    /// In `state` for a minute, connected for an hour.
    fn session(mut self, pid: i32, state: SessionState) -> Self {
        // Who is at work here mostly waits for a lock.
        let query = match state {
            SessionState::Active => "SELECT pg_advisory_lock($1)",
            _ => "SELECT 1",
        };
        self.sessions.push(Session {
            pid,
            sight: Sight::Full,
            datid: Some(DATABASE),
            datname: Some("orders".to_owned()),
            usename: Some("app".to_owned()),
            application_name: Some("api".to_owned()),
            client_addr: Some("10.0.0.7".to_owned()),
            client_port: Some(40_000 + pid),
            backend_type: Some("client backend".to_owned()),
            backend_start: Some(ago(3_600)),
            xact_start: None,
            query_start: Some(ago(61)),
            state_change: Some(ago(60)),
            state: Some(state),
            wait_event_type: None,
            wait_event: None,
            leader_pid: None,
            xmin_age: None,
            query: Some(query.to_owned()),
        });
        self.sort();
        self
    }

    fn named(mut self, pid: i32, application: &str) -> Self {
        for session in self
            .sessions
            .iter_mut()
            .filter(|session| session.pid == pid)
        {
            session.application_name = Some(application.to_owned());
        }
        self
    }

    /// As another role's session looks without `pg_read_all_stats`.
    fn masked(mut self, pid: i32) -> Self {
        for session in self
            .sessions
            .iter_mut()
            .filter(|session| session.pid == pid)
        {
            session.sight = Sight::Masked;
            session.state = None;
            session.client_addr = None;
            session.client_port = None;
            session.backend_type = None;
            session.backend_start = None;
            session.query_start = None;
            session.state_change = None;
            session.query = None;
        }
        self
    }

    fn holds(self, pid: i32, key: i64) -> Self {
        with(self, advisory(pid, key, LockMode::Exclusive, true, 0))
    }

    fn shares(self, pid: i32, key: i64) -> Self {
        with(self, advisory(pid, key, LockMode::Share, true, 0))
    }

    fn holds_in_transaction(self, pid: i32, key: i64) -> Self {
        with(self, advisory(pid, key, LockMode::Exclusive, true, 2))
    }

    fn waits(self, pid: i32, key: i64, seconds: u64) -> Self {
        let lock = advisory(pid, key, LockMode::Exclusive, false, 2);
        with(self, waiting_for(lock, seconds))
    }

    fn waits_to_share(self, pid: i32, key: i64, seconds: u64) -> Self {
        let lock = advisory(pid, key, LockMode::Share, false, 2);
        with(self, waiting_for(lock, seconds))
    }

    fn prepared(mut self, gid: &str, xid: u32, key: i64) -> Self {
        let virtualtransaction = VirtualTransaction {
            backend: -1,
            local: xid,
        };
        let owner = Owner::Prepared(virtualtransaction);
        let own = Target::Other(Box::new(OtherTarget {
            locktype: "transactionid".to_owned(),
            transactionid: Some(xid),
            ..OtherTarget::default()
        }));
        for target in [own, advisory_target(key)] {
            self.locks.push(Lock {
                target,
                mode: LockMode::Exclusive,
                granted: true,
                owner,
                virtualtransaction,
                waitstart: None,
            });
        }
        self.prepared.push(PreparedTransaction {
            transaction: xid,
            gid: gid.to_owned(),
            prepared_at: ago(600),
            owner: Some("app".to_owned()),
            database: DATABASE,
        });
        self
    }

    fn table_lock(self, pid: i32, relation: u32, granted: bool) -> Self {
        let target = Target::Other(Box::new(OtherTarget {
            locktype: "relation".to_owned(),
            database: Some(DATABASE),
            relation: Some(relation),
            ..OtherTarget::default()
        }));
        let lock = Lock {
            target,
            ..advisory(pid, 0, LockMode::AccessExclusive, granted, 2)
        };
        with(self, lock)
    }
}

fn with(mut snapshot: Snapshot, lock: Lock) -> Snapshot {
    snapshot.locks.push(lock);
    snapshot
}

fn waiting_for(lock: Lock, seconds: u64) -> Lock {
    Lock {
        waitstart: Some(ago(seconds)),
        ..lock
    }
}

fn advisory(pid: i32, key: i64, mode: LockMode, granted: bool, local: u32) -> Lock {
    Lock {
        target: advisory_target(key),
        mode,
        granted,
        owner: Owner::Session(pid),
        virtualtransaction: VirtualTransaction {
            backend: pid,
            local,
        },
        waitstart: None,
    }
}

fn advisory_target(key: i64) -> Target {
    Target::Advisory {
        database: DATABASE,
        tag: AdvisoryKey::Single(key).tag(),
    }
}
