//! A row of `pg_stat_activity` as JSON.

use serde::Serialize;

use super::value::timestamp;
use crate::snapshot::{Session, Sight, Snapshot};

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct SessionObject {
    pid: i32,
    /// The server hid this row's state, times, address and query from our role.
    hidden: bool,
    datid: Option<u32>,
    datname: Option<String>,
    usename: Option<String>,
    application_name: Option<String>,
    client_addr: Option<String>,
    client_port: Option<i32>,
    backend_type: Option<String>,
    backend_start: Option<String>,
    xact_start: Option<String>,
    query_start: Option<String>,
    state_change: Option<String>,
    state: Option<String>,
    wait_event_type: Option<String>,
    wait_event: Option<String>,
    leader_pid: Option<i32>,
    /// How many transactions ago the snapshot that it holds open began.
    xmin_age: Option<i32>,
    /// The last statement; an idle session's need not be the one that took a lock.
    query: Option<String>,
}

/// All but our own.
pub(super) fn sessions(snapshot: &Snapshot) -> Vec<SessionObject> {
    let sessions = snapshot.sessions.iter();
    sessions
        .filter(|session| session.pid != snapshot.viewer.pid)
        .cloned()
        .map(session)
        .collect()
}

fn session(session: Session) -> SessionObject {
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
    } = session;
    SessionObject {
        pid,
        hidden: sight == Sight::Masked,
        datid,
        datname,
        usename,
        application_name,
        client_addr,
        client_port,
        backend_type,
        backend_start: backend_start.and_then(timestamp),
        xact_start: xact_start.and_then(timestamp),
        query_start: query_start.and_then(timestamp),
        state_change: state_change.and_then(timestamp),
        state: state.map(|state| state.as_str().to_owned()),
        wait_event_type,
        wait_event,
        leader_pid,
        xmin_age,
        query,
    }
}
