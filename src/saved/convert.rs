//! Rows to a snapshot and back, field by field: a new field does not compile until somebody decides.

use anyhow::{Context, Result};

use super::rows::{
    DatabaseRow, LockRow, OverrideRow, PreparedRow, RelationRow, Sample, ServerRow, SessionRow,
    TimeoutsRow, UnreadRow,
};
use crate::key::AdvisoryTag;
use crate::snapshot::{
    BlindSpot, ConnectionPath, Database, Limits, Lock, LockMode, OtherTarget, Owner,
    PreparedTransaction, Server, Session, SessionState, Sight, Snapshot, Target, TimeoutOverride,
    TimeoutSettings, Timeouts, Viewer, blindness,
};

impl Sample {
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        Self {
            server: server_row(snapshot),
            timeouts: timeouts_row(&snapshot.timeouts.defaults),
            overrides: snapshot
                .timeouts
                .overrides
                .iter()
                .map(override_row)
                .collect(),
            databases: database_rows(snapshot),
            relations: relation_rows(snapshot),
            locks: snapshot.locks.iter().map(lock_row).collect(),
            sessions: snapshot.sessions.iter().map(session_row).collect(),
            prepared: snapshot.prepared.iter().map(prepared_row).collect(),
            unread: snapshot.blind_spots.iter().filter_map(unread_row).collect(),
        }
    }

    /// # Errors
    /// A row that no server can have shown.
    pub(super) fn into_snapshot(self) -> Result<Snapshot> {
        let (server, viewer, limits) = server(&self.server);
        let mut snapshot = Snapshot {
            captured_at: self.server.captured_at,
            server,
            viewer,
            limits,
            timeouts: Timeouts {
                defaults: timeouts(&self.timeouts),
                overrides: self
                    .overrides
                    .into_iter()
                    .filter_map(timeout_override)
                    .collect(),
            },
            locks: self.locks.into_iter().map(lock).collect::<Result<_>>()?,
            left_out: 0,
            sessions: self.sessions.into_iter().map(session).collect(),
            prepared: self.prepared.into_iter().map(prepared).collect(),
            databases: self.databases.into_iter().map(database).collect(),
            relations: self.relations.into_iter().map(relation).collect(),
            blind_spots: self.unread.into_iter().filter_map(unread).collect(),
        };
        snapshot.sort();
        let seen = blindness::of(&snapshot);
        snapshot.blind_spots.extend(seen);
        Ok(snapshot)
    }
}

fn server_row(snapshot: &Snapshot) -> ServerRow {
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

fn server(row: &ServerRow) -> (Server, Viewer, Limits) {
    let path = row.connection_path.as_deref();
    let server = Server {
        version_num: row.server_version_num,
        version: row.server_version.clone(),
        in_recovery: row.in_recovery,
        started_at: row.started_at,
        path: path.map_or(ConnectionPath::Unknown, ConnectionPath::from_word),
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

fn timeouts_row(settings: &TimeoutSettings) -> TimeoutsRow {
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

fn timeouts(row: &TimeoutsRow) -> TimeoutSettings {
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

fn override_row(timeout: &TimeoutOverride) -> OverrideRow {
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

fn timeout_override(row: OverrideRow) -> Option<TimeoutOverride> {
    TimeoutOverride::of(row.role, row.database, &row.setting)
}

fn database_rows(snapshot: &Snapshot) -> Vec<DatabaseRow> {
    let databases = snapshot.databases.iter();
    databases
        .map(|(oid, database)| DatabaseRow {
            oid: *oid,
            datname: database.name.clone(),
            datconnlimit: database.connection_limit.map_or(-1, i64::from),
        })
        .collect()
}

fn database(row: DatabaseRow) -> (u32, Database) {
    let database = Database {
        name: row.datname,
        connection_limit: u32::try_from(row.datconnlimit).ok(),
    };
    (row.oid, database)
}

fn relation_rows(snapshot: &Snapshot) -> Vec<RelationRow> {
    let relations = snapshot.relations.iter();
    relations
        .map(|((database, oid), name)| RelationRow {
            database: *database,
            oid: *oid,
            name: name.clone(),
        })
        .collect()
}

fn relation(row: RelationRow) -> ((u32, u32), String) {
    ((row.database, row.oid), row.name)
}

fn lock_row(lock: &Lock) -> LockRow {
    let target = match &lock.target {
        Target::Other(other) => (**other).clone(),
        Target::Advisory { database, tag } => OtherTarget {
            locktype: "advisory".to_owned(),
            database: Some(*database),
            classid: Some(tag.classid),
            objid: Some(tag.objid),
            objsubid: Some(tag.objsubid),
            ..OtherTarget::default()
        },
    };
    LockRow {
        locktype: target.locktype,
        database: target.database,
        relation: target.relation,
        page: target.page,
        tuple: target.tuple,
        virtualxid: target.virtualxid,
        transactionid: target.transactionid,
        classid: target.classid,
        objid: target.objid,
        objsubid: target.objsubid,
        virtualtransaction: lock.virtualtransaction.to_string(),
        pid: lock.owner.pid(),
        mode: lock.mode.as_str().to_owned(),
        granted: lock.granted,
        waitstart: lock.waitstart,
    }
}

fn lock(row: LockRow) -> Result<Lock> {
    let virtualtransaction = row.virtualtransaction.parse()?;
    Ok(Lock {
        mode: LockMode::from_catalog(&row.mode),
        granted: row.granted,
        owner: row
            .pid
            .map_or(Owner::Prepared(virtualtransaction), Owner::Session),
        virtualtransaction,
        waitstart: row.waitstart,
        target: target(row)?,
    })
}

fn target(row: LockRow) -> Result<Target> {
    if row.locktype != "advisory" {
        return Ok(Target::Other(Box::new(OtherTarget {
            locktype: row.locktype,
            database: row.database,
            relation: row.relation,
            page: row.page,
            tuple: row.tuple,
            virtualxid: row.virtualxid,
            transactionid: row.transactionid,
            classid: row.classid,
            objid: row.objid,
            objsubid: row.objsubid,
        })));
    }
    let missing = |column| format!("an advisory lock without `{column}`");
    Ok(Target::Advisory {
        database: row.database.unwrap_or(0),
        tag: AdvisoryTag {
            classid: row.classid.with_context(|| missing("classid"))?,
            objid: row.objid.with_context(|| missing("objid"))?,
            objsubid: row.objsubid.with_context(|| missing("objsubid"))?,
        },
    })
}

fn session_row(session: &Session) -> SessionRow {
    let Session {
        pid,
        sight,
        datid,
        datname,
        usename,
        application_name,
        client_addr,
        client_port,
        backend_type,
        backend_start,
        xact_start,
        query_start,
        state_change,
        state,
        wait_event_type,
        wait_event,
        leader_pid,
        xmin_age,
        query,
    } = session.clone();
    SessionRow {
        pid,
        masked: Some(sight == Sight::Masked),
        datid,
        datname,
        usename,
        application_name,
        client_addr,
        client_port,
        backend_type,
        backend_start,
        xact_start,
        query_start,
        state_change,
        state: state.map(|state| state.as_str().to_owned()),
        wait_event_type,
        wait_event,
        leader_pid,
        xmin_age,
        query,
    }
}

fn session(row: SessionRow) -> Session {
    let masked = row.masked.unwrap_or(false);
    Session {
        pid: row.pid,
        sight: if masked { Sight::Masked } else { Sight::Full },
        datid: row.datid,
        datname: row.datname,
        usename: row.usename,
        application_name: row.application_name,
        client_addr: row.client_addr,
        client_port: row.client_port,
        backend_type: row.backend_type,
        backend_start: row.backend_start,
        xact_start: row.xact_start,
        query_start: row.query_start,
        state_change: row.state_change,
        state: row.state.map(|state| SessionState::from_catalog(&state)),
        wait_event_type: row.wait_event_type,
        wait_event: row.wait_event,
        leader_pid: row.leader_pid,
        xmin_age: row.xmin_age,
        query: row.query.filter(|_| !masked),
    }
}

fn prepared_row(prepared: &PreparedTransaction) -> PreparedRow {
    let PreparedTransaction {
        transaction,
        gid,
        prepared_at,
        owner,
        database,
    } = prepared.clone();
    PreparedRow {
        transaction,
        gid,
        prepared_at,
        owner,
        database,
    }
}

fn prepared(row: PreparedRow) -> PreparedTransaction {
    PreparedTransaction {
        transaction: row.transaction,
        gid: row.gid,
        prepared_at: row.prepared_at,
        owner: row.owner,
        database: row.database,
    }
}

/// Only what the rows themselves don't show.
fn unread_row(spot: &BlindSpot) -> Option<UnreadRow> {
    let because = match spot {
        BlindSpot::ForeignText { because }
        | BlindSpot::Names { because }
        | BlindSpot::TimeLimits { because }
        | BlindSpot::RelationNames { because } => because.clone(),
        _ => return None,
    };
    Some(UnreadRow {
        what: spot.code().to_owned(),
        because,
    })
}

fn unread(row: UnreadRow) -> Option<BlindSpot> {
    let because = row.because;
    match row.what.as_str() {
        "foreign-text" => Some(BlindSpot::ForeignText { because }),
        "names" => Some(BlindSpot::Names { because }),
        "time-limits" => Some(BlindSpot::TimeLimits { because }),
        "relation-names" => Some(BlindSpot::RelationNames { because }),
        _ => None,
    }
}
