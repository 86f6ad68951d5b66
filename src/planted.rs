//! Snapshots planted by tests, in sentences.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use crate::key::AdvisoryKey;
use crate::snapshot::{
    Alias, ConnectionPath, Database, Identity, Limits, Lock, LockMode, OtherTarget, Owner,
    PoolMode, Pooler, PoolerClient, PoolerSettings, PreparedTransaction, Queue, Server,
    ServerConnection, Session, SessionState, Sight, Snapshot, Target, Timeouts, Viewer,
    VirtualTransaction,
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
        poolers: Vec::new(),
        blind_spots: Vec::new(),
    }
}

pub(crate) trait Plant: Sized {
    fn session(self, pid: i32, state: SessionState) -> Self;
    fn named(self, pid: i32, application: &str) -> Self;
    fn at(self, pid: i32, address: &str) -> Self;
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

    fn at(mut self, pid: i32, address: &str) -> Self {
        for session in self
            .sessions
            .iter_mut()
            .filter(|session| session.pid == pid)
        {
            session.client_addr = Some(address.to_owned());
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

/// A console whose alias `shop` leads to the planted database in this mode.
pub(crate) fn pooler(mode: &str) -> Pooler {
    Pooler {
        console: "10.0.0.5:6432".to_owned(),
        address: "10.0.0.5".parse().ok(),
        version: "PgBouncer 1.18.0".to_owned(),
        aliases: vec![Alias {
            name: "shop".to_owned(),
            host: Some("10.0.0.1".to_owned()),
            port: Some(5432),
            database: "orders".to_owned(),
            pool_size: 20,
            ..Alias::default()
        }],
        settings: PoolerSettings {
            pool_mode: Some(mode.to_owned()),
            server_reset_query: Some("DISCARD ALL".to_owned()),
            server_reset_query_always: Some(false),
            ..PoolerSettings::default()
        },
        ..Pooler::default()
    }
}

pub(crate) trait PlantPooler: Sized {
    fn has_a_pool(self) -> Self;
    fn serves(self, pid: i32) -> Self;
    fn lends(self, pid: i32, application: &str) -> Self;
    fn resets_by(self, query: &str) -> Self;
    fn queues(self, waiting: u32, seconds: u64) -> Self;
}

impl PlantPooler for Pooler {
    fn has_a_pool(mut self) -> Self {
        if self.queues.is_empty() {
            let mode = self.settings.pool_mode.as_deref();
            self.queues.push(Queue {
                alias: "shop".to_owned(),
                user: "app".to_owned(),
                mode: mode.map_or(PoolMode::Unknown, PoolMode::from_word),
                ..Queue::default()
            });
        }
        self
    }

    /// The planted session of this pid is a connection of the pool, and nobody has it.
    fn serves(self, pid: i32) -> Self {
        let mut pooler = self.has_a_pool();
        let port = u16::try_from(40_000 + pid).expect("planted pids are small");
        pooler.servers.push(ServerConnection {
            alias: "shop".to_owned(),
            user: "app".to_owned(),
            state: "idle".to_owned(),
            remote_pid: Some(pid),
            local: "10.0.0.7".parse().ok().map(|address| (address, port)),
            identity: identity(&format!("0xa{pid}")),
            link: None,
            application_name: None,
            replicates: false,
        });
        pooler.queues[0].servers += 1;
        pooler.queues[0].servers_idle += 1;
        pooler
    }

    fn lends(mut self, pid: i32, application: &str) -> Self {
        let server = self
            .servers
            .iter_mut()
            .find(|server| server.remote_pid == Some(pid))
            .expect("it is served");
        server.state = "active".to_owned();
        server.link = Some(format!("0xb{pid}"));
        self.queues[0].servers_idle -= 1;
        self.queues[0].servers_active += 1;
        self.queues[0].clients_active += 1;
        self.clients.push(PoolerClient {
            alias: "shop".to_owned(),
            user: "app".to_owned(),
            state: "active".to_owned(),
            addr: "10.0.0.9".to_owned(),
            port: Some(50_000),
            identity: identity(&format!("0xb{pid}")),
            link: Some(format!("0xa{pid}")),
            remote_pid: None,
            application_name: Some(application.to_owned()),
        });
        self
    }

    fn resets_by(mut self, query: &str) -> Self {
        self.settings.server_reset_query = Some(query.to_owned());
        self
    }

    fn queues(self, waiting: u32, seconds: u64) -> Self {
        let mut pooler = self.has_a_pool();
        pooler.queues[0].clients_waiting = waiting;
        pooler.queues[0].longest_wait = Duration::from_secs(seconds);
        pooler
    }
}

fn identity(ptr: &str) -> Identity {
    Identity {
        ptr: ptr.to_owned(),
        id: None,
        connect_time: Some("2027-01-15 07:00:00 UTC".to_owned()),
    }
}
