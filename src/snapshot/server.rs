//! The server that was asked, as whom, and through what.

use std::time::SystemTime;

use super::ConnectionPath;

/// Where a result comes from; never holds a password.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    /// The host that answered, or those that were tried: `db1:5432`, `/run/postgresql:5432`.
    pub host: String,
    pub dbname: String,
    pub user: String,
    /// The snapshot file that it was read from.
    pub file: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Server {
    /// `server_version_num`: 150018 is 15.18.
    pub version_num: i32,
    /// `server_version`: what people say.
    pub version: String,
    pub in_recovery: bool,
    pub started_at: Option<SystemTime>,
    pub path: ConnectionPath,
}

/// As whom we look, and what that role may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Viewer {
    pub pid: i32,
    pub database: String,
    pub role: String,
    pub superuser: bool,
    /// Effective membership (`USAGE`) in `pg_read_all_stats`; superusers have it.
    pub reads_all_stats: bool,
}

/// The settings that bound connections and locks. `None`: the server has no such setting.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Limits {
    pub max_connections: i64,
    pub superuser_reserved_connections: i64,
    /// 16 and later.
    pub reserved_connections: Option<i64>,
    pub max_locks_per_transaction: i64,
    pub max_prepared_transactions: i64,
    pub autovacuum_workers: i64,
    pub max_worker_processes: i64,
    pub max_wal_senders: i64,
    pub track_activities: bool,
}

impl Limits {
    /// Slots that a role without privileges can ever use: the reserved ones are the last of
    /// `max_connections`, not seats of their own.
    pub fn ordinary_slots(&self) -> i64 {
        self.max_connections
            .saturating_sub(self.superuser_reserved_connections)
            .saturating_sub(self.reserved_connections.unwrap_or(0))
    }

    /// The lock table's nominal size in locks. The real limit is somewhat higher, since spare shared
    /// memory is used first. Source: `NLOCKENTS` in `lock.c`; the backends that it counts are
    /// connections, autovacuum workers and their launcher, worker processes and WAL senders.
    pub fn lock_table_size(&self) -> i64 {
        let owners = [
            self.max_connections,
            self.autovacuum_workers,
            1,
            self.max_worker_processes,
            self.max_wal_senders,
            self.max_prepared_transactions,
        ];
        // A file may hold any number: too large is as good as endless.
        let owners = owners.into_iter().fold(0, i64::saturating_add);
        self.max_locks_per_transaction.saturating_mul(owners)
    }
}

/// A server that would not let us in for want of room: itself an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub kind: RefusalKind,
    pub sqlstate: String,
    /// The server's own words.
    pub message: String,
}

/// Why there was no room. The server's texts are localised, so `Unknown` is a real case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    AllSlotsTaken,
    OnlySuperuserSlotsLeft,
    OnlyReservedSlotsLeft,
    RoleLimit,
    DatabaseLimit,
    PoolerFull,
    LockTableFull,
    Unknown,
}
