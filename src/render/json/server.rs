//! The server and what we may see of it, as JSON.

use serde::Serialize;

use super::value::timestamp;
use crate::pooler::Product;
use crate::snapshot::{Limits, Server, Sight, Snapshot, Viewer};

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ServerObject {
    server_version_num: i32,
    server_version: String,
    in_recovery: bool,
    started_at: Option<String>,
    /// `direct`, `pooler_or_nat`, `pooler` or `unknown`
    connection_path: &'static str,
    /// What it is told by: `same_socket`, `another_socket`, or of a pooler `older_backend`,
    /// `another_backend`, `renamed`, `statement_mode`.
    connection_path_basis: Option<&'static str>,
    /// The pooler's name, where our own session gives it away.
    connection_pooler: Option<&'static str>,
    limits: LimitsObject,
}

/// Settings by their own names; null where the server has no such setting.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LimitsObject {
    max_connections: i64,
    superuser_reserved_connections: i64,
    reserved_connections: Option<i64>,
    max_locks_per_transaction: i64,
    max_prepared_transactions: i64,
    /// `autovacuum_worker_slots` from 18 on, else `autovacuum_max_workers`.
    autovacuum_workers: i64,
    max_worker_processes: i64,
    max_wal_senders: i64,
    track_activities: bool,
    /// Slots that roles without privileges can use.
    ordinary_slots: i64,
    /// The lock table's nominal size in locks.
    lock_table_size: i64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct VisibilityObject {
    role: String,
    database: String,
    superuser: bool,
    pg_read_all_stats: bool,
    /// Sessions whose state, times and address are hidden.
    hidden_sessions: usize,
}

pub(super) fn server(snapshot: &Snapshot) -> ServerObject {
    let Server {
        version_num,
        version,
        in_recovery,
        started_at,
        path,
    } = snapshot.server.clone();
    ServerObject {
        server_version_num: version_num,
        server_version: version,
        in_recovery,
        started_at: started_at.and_then(timestamp),
        connection_path: path.as_str(),
        connection_path_basis: path.basis(),
        connection_pooler: crate::pooler::signs::of_our_own_way(snapshot).map(Product::name),
        limits: limits(&snapshot.limits),
    }
}

fn limits(limits: &Limits) -> LimitsObject {
    let (ordinary_slots, lock_table_size) = (limits.ordinary_slots(), limits.lock_table_size());
    let Limits {
        max_connections,
        superuser_reserved_connections,
        reserved_connections,
        max_locks_per_transaction,
        max_prepared_transactions,
        autovacuum_workers,
        max_worker_processes,
        max_wal_senders,
        track_activities,
    } = *limits;
    LimitsObject {
        max_connections,
        superuser_reserved_connections,
        reserved_connections,
        max_locks_per_transaction,
        max_prepared_transactions,
        autovacuum_workers,
        max_worker_processes,
        max_wal_senders,
        track_activities,
        ordinary_slots,
        lock_table_size,
    }
}

pub(super) fn visibility(snapshot: &Snapshot) -> VisibilityObject {
    let Viewer {
        pid: _,
        database,
        role,
        superuser,
        reads_all_stats,
    } = snapshot.viewer.clone();
    let hidden = snapshot
        .sessions
        .iter()
        .filter(|session| session.sight == Sight::Masked);
    VisibilityObject {
        role,
        database,
        superuser,
        pg_read_all_stats: reads_all_stats,
        hidden_sessions: hidden.count(),
    }
}
