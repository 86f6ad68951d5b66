//! Sessions and prepared transactions.

use crate::saved::rows::{PreparedRow, SessionRow};
use crate::snapshot::{PreparedTransaction, Session, SessionState, Sight};

pub(super) fn session_row(session: &Session) -> SessionRow {
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

pub(super) fn session(row: SessionRow) -> Session {
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

pub(super) fn prepared_row(prepared: &PreparedTransaction) -> PreparedRow {
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

pub(super) fn prepared(row: PreparedRow) -> PreparedTransaction {
    PreparedTransaction {
        transaction: row.transaction,
        gid: row.gid,
        prepared_at: row.prepared_at,
        owner: row.owner,
        database: row.database,
    }
}
