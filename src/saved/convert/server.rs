//! The server, who looks at it, and its settings.

use crate::saved::rows::{OverrideRow, ServerRow, TimeoutsRow};
use crate::snapshot::{
    ConnectionPath, Limits, Server, Snapshot, TimeoutOverride, TimeoutSettings, Viewer,
};

pub(super) fn server_row(snapshot: &Snapshot) -> ServerRow {
    let Server {
        version_num,
        version,
        in_recovery,
        started_at,
        path,
    } = snapshot.server.clone();
    let Viewer {
        pid,
        database,
        role,
        superuser,
        reads_all_stats,
    } = snapshot.viewer.clone();
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
    } = snapshot.limits;
    ServerRow {
        captured_at: snapshot.captured_at,
        server_version_num: version_num,
        server_version: version,
        in_recovery,
        started_at,
        connection_path: Some(path.as_str().to_owned()),
        connection_path_basis: path.basis().map(str::to_owned),
        pid,
        database,
        role,
        superuser,
        reads_all_stats,
        max_connections,
        superuser_reserved_connections,
        reserved_connections,
        max_locks_per_transaction,
        max_prepared_transactions,
        autovacuum_workers,
        max_worker_processes,
        max_wal_senders,
        track_activities,
    }
}

pub(super) fn server(row: &ServerRow) -> (Server, Viewer, Limits) {
    let path = row.connection_path.as_deref();
    let server = Server {
        version_num: row.server_version_num,
        version: row.server_version.clone(),
        in_recovery: row.in_recovery,
        started_at: row.started_at,
        path: path.map_or(ConnectionPath::Unknown, |word| {
            ConnectionPath::from_words(word, row.connection_path_basis.as_deref())
        }),
    };
    let viewer = Viewer {
        pid: row.pid,
        database: row.database.clone(),
        role: row.role.clone(),
        superuser: row.superuser,
        reads_all_stats: row.reads_all_stats,
    };
    let limits = Limits {
        max_connections: row.max_connections,
        superuser_reserved_connections: row.superuser_reserved_connections,
        reserved_connections: row.reserved_connections,
        max_locks_per_transaction: row.max_locks_per_transaction,
        max_prepared_transactions: row.max_prepared_transactions,
        autovacuum_workers: row.autovacuum_workers,
        max_worker_processes: row.max_worker_processes,
        max_wal_senders: row.max_wal_senders,
        track_activities: row.track_activities,
    };
    (server, viewer, limits)
}

pub(super) fn timeouts_row(settings: &TimeoutSettings) -> TimeoutsRow {
    let TimeoutSettings {
        statement_timeout,
        lock_timeout,
        idle_in_transaction_session_timeout,
        idle_session_timeout,
        transaction_timeout,
        client_connection_check_interval,
    } = *settings;
    TimeoutsRow {
        statement_timeout,
        lock_timeout,
        idle_in_transaction_session_timeout,
        idle_session_timeout,
        transaction_timeout,
        client_connection_check_interval,
    }
}

pub(super) fn timeouts(row: &TimeoutsRow) -> TimeoutSettings {
    let TimeoutsRow {
        statement_timeout,
        lock_timeout,
        idle_in_transaction_session_timeout,
        idle_session_timeout,
        transaction_timeout,
        client_connection_check_interval,
    } = *row;
    TimeoutSettings {
        statement_timeout,
        lock_timeout,
        idle_in_transaction_session_timeout,
        idle_session_timeout,
        transaction_timeout,
        client_connection_check_interval,
    }
}

pub(super) fn override_row(timeout: &TimeoutOverride) -> OverrideRow {
    let TimeoutOverride {
        role,
        database,
        setting,
        value,
    } = timeout.clone();
    OverrideRow {
        role,
        database,
        setting: format!("{setting}={}", value.as_millis()),
    }
}

pub(super) fn timeout_override(row: OverrideRow) -> Option<TimeoutOverride> {
    TimeoutOverride::of(row.role, row.database, &row.setting)
}
