//! Rows to a snapshot and back, field by field: a new field does not compile until somebody decides.

mod lock;
mod server;
mod session;

use anyhow::Result;

use super::pooler::PoolerRow;
use super::rows::{DatabaseRow, RelationRow, Sample, UnreadRow};
use crate::pooler::backends;
use crate::snapshot::{BlindSpot, Database, Snapshot, Timeouts, blindness};
use lock::{lock, lock_row};
use server::{override_row, server, server_row, timeout_override, timeouts, timeouts_row};
use session::{prepared, prepared_row, session, session_row};

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
            poolers: snapshot.poolers.iter().map(PoolerRow::of).collect(),
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
            poolers: self
                .poolers
                .into_iter()
                .map(PoolerRow::into_pooler)
                .collect::<Result<_>>()?,
            blind_spots: self.unread.into_iter().filter_map(unread).collect(),
        };
        snapshot.sort();
        let seen = blindness::of(&snapshot);
        snapshot.blind_spots.extend(seen);
        let unjoined = backends::unjoined(&snapshot);
        snapshot.blind_spots.extend(unjoined);
        Ok(snapshot)
    }
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

/// Only what the rows themselves don't show.
fn unread_row(spot: &BlindSpot) -> Option<UnreadRow> {
    let because = match spot {
        BlindSpot::ForeignText { because }
        | BlindSpot::LeftOutText { because }
        | BlindSpot::Names { because }
        | BlindSpot::TimeLimits { because }
        | BlindSpot::RelationNames { because }
        | BlindSpot::Console { because, .. } => because.clone(),
        _ => return None,
    };
    let remedy = match spot {
        BlindSpot::Console { remedy, .. } => remedy.clone(),
        _ => None,
    };
    Some(UnreadRow {
        what: spot.code().to_owned(),
        because,
        remedy,
    })
}

fn unread(row: UnreadRow) -> Option<BlindSpot> {
    let UnreadRow {
        what,
        because,
        remedy,
    } = row;
    match what.as_str() {
        "foreign-text" => Some(BlindSpot::ForeignText { because }),
        "left-out-text" => Some(BlindSpot::LeftOutText { because }),
        "names" => Some(BlindSpot::Names { because }),
        "time-limits" => Some(BlindSpot::TimeLimits { because }),
        "relation-names" => Some(BlindSpot::RelationNames { because }),
        "console" => Some(BlindSpot::Console { because, remedy }),
        _ => None,
    }
}
