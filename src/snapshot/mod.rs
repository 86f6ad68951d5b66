//! What was true on one server at one moment, and what could not be seen. Values only: a snapshot
//! knows no connection and no clock, so it can be saved, mailed and judged again.

mod blind_spot;
pub mod blindness;
mod lock;
mod path;
mod pooler;
mod server;
mod session;
mod timeouts;

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

pub use blind_spot::BlindSpot;
pub use lock::{Lock, LockId, LockMode, OtherTarget, Owner, Target, VirtualTransaction};
pub use path::{Arrival, ConnectionPath, PoolerSign};
pub use pooler::{
    Alias, Consoles, Identity, PoolMode, Pooler, PoolerClient, PoolerSettings, PoolerUser, Queue,
    ServerConnection, is_console,
};
pub use server::{Limits, Refusal, RefusalKind, Server, Source, Viewer};
pub use session::{PreparedTransaction, Session, SessionState, Sight};
pub use timeouts::{TimeoutOverride, TimeoutSettings, Timeouts};

/// One sample. Times are by the server's clock.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// When `pg_locks` was read.
    pub captured_at: SystemTime,
    pub server: Server,
    pub viewer: Viewer,
    pub limits: Limits,
    pub timeouts: Timeouts,
    /// Every advisory lock, every waiting lock of any kind, and what may block one.
    pub locks: Vec<Lock>,
    /// Advisory locks that [`Snapshot::keep_databases`] left out: they fill the lock table all the same.
    pub left_out: usize,
    pub sessions: Vec<Session>,
    pub prepared: Vec<PreparedTransaction>,
    /// By oid; empty where `pg_database` could not be read.
    pub databases: BTreeMap<u32, Database>,
    /// Names of relations that somebody waits for, or whose oid is in a key that somebody waits for,
    /// by database and relation oid.
    pub relations: BTreeMap<(u32, u32), String>,
    /// What the consoles of `--pgbouncer` said between the sample before and this one.
    pub poolers: Vec<Pooler>,
    pub blind_spots: Vec<BlindSpot>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Database {
    pub name: String,
    /// `None`: no limit (`datconnlimit` is -1).
    pub connection_limit: Option<u32>,
}

impl Snapshot {
    pub fn session(&self, pid: i32) -> Option<&Session> {
        self.sessions
            .binary_search_by_key(&pid, |session| session.pid)
            .ok()
            .map(|at| &self.sessions[at])
    }

    /// Keeps the order that [`Snapshot::session`] searches in.
    pub fn sort(&mut self) {
        self.sessions.sort_by_key(|session| session.pid);
    }

    /// `None` for oid 0 (a lock of no database) and where names could not be read.
    pub fn database_name(&self, oid: u32) -> Option<&str> {
        self.databases
            .get(&oid)
            .map(|database| database.name.as_str())
    }

    pub fn database_oid(&self, name: &str) -> Option<u32> {
        let mut databases = self.databases.iter();
        let found = databases.find(|(_, database)| database.name == name);
        found.map(|(oid, _)| *oid)
    }

    /// What [`Timeouts::of_session`] says for this session.
    pub fn timeout(&self, session: &Session, setting: &str) -> Option<Duration> {
        let (role, database) = (session.usename.as_deref(), session.datname.as_deref());
        self.timeouts
            .of_session(setting, role, database, &self.viewer.role)
    }

    /// How long ago something happened, never negative: two clocks of one server may differ by a tick.
    pub fn age(&self, since: SystemTime) -> Duration {
        self.captured_at.duration_since(since).unwrap_or_default()
    }

    /// Leaves out the advisory locks of all other databases, and what could not be seen there. Their
    /// sessions stay: they take connection slots from everybody.
    pub fn keep_databases(&mut self, oids: &[u32]) {
        let of_everything = blindness::of(self);
        let all = self.locks.len();
        self.locks.retain(|lock| match &lock.target {
            Target::Advisory { database, .. } => oids.contains(database),
            Target::Other(_) => true,
        });
        self.left_out += all - self.locks.len();
        self.blind_spots
            .retain(|spot| !of_everything.contains(spot));
        self.blind_spots.extend(blindness::of_databases(self, oids));
    }

    /// Cuts query texts to `most` characters; 0 removes them.
    pub fn shorten_queries(&mut self, most: usize) {
        for session in &mut self.sessions {
            let cut = session.query.as_deref().map(|query| shortened(query, most));
            session.query = cut.flatten();
        }
    }
}

fn shortened(query: &str, most: usize) -> Option<String> {
    match query.char_indices().nth(most) {
        _ if most == 0 => None,
        Some((end, _)) => Some(format!("{}…", &query[..end])),
        None => Some(query.to_owned()),
    }
}
