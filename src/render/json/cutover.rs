//! What `lockaudit migrate status` says, as JSON: one of the documents of `migrate`.

use serde::Serialize;

use super::lock::{KeyObject, key};
use super::migrate::SCHEMA_VERSION;
use super::value::seconds;
use crate::cutover::outlook::{Considered, Outlook, Prospect};
use crate::cutover::{Calls, Judged, KeyLock, LiveLease, Position, Watched};
use crate::key::Sharing;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct StatusObject {
    schema_version: u32,
    datname: String,
    /// The table of leases, as SQL.
    table: String,
    /// For so long old code must not have been seen.
    period_seconds: f64,
    advisory_calls: CallsObject,
    names: Vec<NameObject>,
}

/// Of statements of this database that take advisory locks exclusively, of whatever key.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct CallsObject {
    /// As `pg_stat_statements` counts; null where it can't be read.
    calls: Option<u64>,
    /// Since the counters were reset; null where the server does not say when.
    counted_seconds: Option<f64>,
    /// Why they can't be read.
    unseen: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NameObject {
    name: String,
    /// `advisory`, `both` or `lease`
    mode: &'static str,
    /// Null where the log does not say.
    mode_seconds: Option<f64>,
    /// Null once the migration is finished.
    key: Option<KeyObject>,
    /// Null while it is free, or has run out.
    lease: Option<LeaseObject>,
    /// Who has the old key, or waits for it, now.
    key_locks: Vec<KeyLockObject>,
    /// Null while nobody has looked for old code.
    watched: Option<WatchedObject>,
    /// The modes that `--wait-for` would not wait for.
    ready_for: Vec<&'static str>,
    steps: Vec<StepObject>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LeaseObject {
    holder: String,
    remaining_seconds: f64,
    /// Whether its holder has the old key beside it, or asked for it.
    bridged: bool,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct KeyLockObject {
    /// Null: a prepared transaction.
    pid: Option<i32>,
    application_name: Option<String>,
    mode: String,
    granted: bool,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WatchedObject {
    seconds_ago: f64,
    /// Somebody has looked all that time, and saw nobody hold or wait for the key.
    quiet_seconds: f64,
    /// When somebody was seen last; null: never.
    seen_seconds_ago: Option<f64>,
    /// No further advisory call was counted for that long; null: they can't be counted.
    calls_quiet_seconds: Option<f64>,
    /// When the fence last looked; null: never.
    fenced_seconds_ago: Option<f64>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct StepObject {
    /// `advance` or `rollback`
    direction: &'static str,
    to: &'static str,
    /// Whether every gate is.
    open: bool,
    gates: Vec<GateObject>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GateObject {
    /// `key-known`, `key-free`, `lease-bridged`, `old-code-quiet`, `no-new-calls` or `fence-seen`
    gate: &'static str,
    /// `open`, `shut` or `unseen`
    state: &'static str,
    because: String,
    /// Whether `--force` opens it.
    may_be_forced: bool,
}

pub(super) fn object(outlook: &Outlook) -> StatusObject {
    let Outlook {
        database,
        table,
        period,
        calls: counted,
        names,
    } = outlook;
    StatusObject {
        schema_version: SCHEMA_VERSION,
        datname: database.clone(),
        table: table.clone(),
        period_seconds: seconds(*period),
        advisory_calls: calls(counted),
        names: names.iter().map(name).collect(),
    }
}

fn calls(calls: &Calls) -> CallsObject {
    match calls {
        Calls::Counted { calls, for_so_long } => CallsObject {
            calls: Some(*calls),
            counted_seconds: for_so_long.map(seconds),
            unseen: None,
        },
        Calls::Unseen(because) => CallsObject {
            calls: None,
            counted_seconds: None,
            unseen: Some(because.clone()),
        },
    }
}

fn name(prospect: &Prospect) -> NameObject {
    let Prospect {
        position,
        steps,
        ready_for,
    } = prospect;
    let Position {
        name,
        mode,
        mode_for,
        key: old_key,
        lease: live,
        locks,
        watched: seen,
    } = position;
    NameObject {
        name: name.to_string(),
        mode: mode.as_str(),
        mode_seconds: mode_for.map(seconds),
        key: old_key.map(|old_key| key(old_key.tag(), Some(Sharing::Exclusive))),
        lease: live.as_ref().map(lease),
        key_locks: locks.iter().map(key_lock).collect(),
        watched: seen.as_ref().map(watched),
        ready_for: ready_for.iter().map(|mode| mode.as_str()).collect(),
        steps: steps.iter().map(step).collect(),
    }
}

fn lease(lease: &LiveLease) -> LeaseObject {
    let LiveLease {
        holder,
        remaining,
        bridged,
    } = lease;
    LeaseObject {
        holder: holder.to_string(),
        remaining_seconds: seconds(*remaining),
        bridged: *bridged,
    }
}

fn key_lock(lock: &KeyLock) -> KeyLockObject {
    let KeyLock {
        pid,
        application,
        mode,
        granted,
    } = lock;
    KeyLockObject {
        pid: *pid,
        application_name: application.clone(),
        mode: mode.as_str().to_owned(),
        granted: *granted,
    }
}

fn watched(watched: &Watched) -> WatchedObject {
    let Watched {
        ago,
        quiet_for,
        seen_ago,
        calls_quiet_for,
        fenced_ago,
    } = *watched;
    WatchedObject {
        seconds_ago: seconds(ago),
        quiet_seconds: seconds(quiet_for),
        seen_seconds_ago: seen_ago.map(seconds),
        calls_quiet_seconds: calls_quiet_for.map(seconds),
        fenced_seconds_ago: fenced_ago.map(seconds),
    }
}

fn step(considered: &Considered) -> StepObject {
    StepObject {
        direction: considered.direction.as_str(),
        to: considered.step.to.as_str(),
        open: considered.is_open(),
        gates: considered.gates.iter().map(gate).collect(),
    }
}

fn gate(judged: &Judged) -> GateObject {
    let Judged {
        gate,
        state,
        because,
    } = judged;
    GateObject {
        gate: gate.as_str(),
        state: state.as_str(),
        because: because.clone(),
        may_be_forced: gate.is_of_the_past(),
    }
}
