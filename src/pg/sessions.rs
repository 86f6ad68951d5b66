//! Rows of `sql/sessions.sql`.

use anyhow::{Context, Result};
use tokio_postgres::{Client, Row};

use super::column::{get, text};
use super::names::Names;
use super::question::SESSIONS;
use crate::snapshot::{Session, SessionState, Sight};

/// Whether the texts of queries are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryTexts {
    Read,
    LeaveOut,
}

pub(super) async fn read(
    client: &Client,
    texts: QueryTexts,
    names: &Names,
) -> Result<Vec<Session>> {
    let rows = SESSIONS
        .ask(client, &[&(texts == QueryTexts::Read)])
        .await?;
    rows.iter()
        .map(|row| decode(row, names))
        .collect::<Result<_>>()
        .context("could not decode the sessions")
}

fn decode(row: &Row, names: &Names) -> Result<Session> {
    // Oid 0 stands for "none" in the function form.
    let datid = get::<Option<u32>>(row, "datid")?.filter(|oid| *oid != 0);
    let usesysid = get::<Option<u32>>(row, "usesysid")?.filter(|oid| *oid != 0);
    let masked = get::<Option<bool>>(row, "masked")?.unwrap_or(false);
    Ok(Session {
        pid: get(row, "pid")?,
        sight: if masked { Sight::Masked } else { Sight::Full },
        datid,
        datname: datid.map(|oid| names.database(oid)),
        usename: usesysid.map(|oid| names.role(oid)),
        application_name: text(row, "application_name")?,
        client_addr: text(row, "client_addr")?,
        client_port: get(row, "client_port")?,
        backend_type: text(row, "backend_type")?,
        backend_start: get(row, "backend_start")?,
        xact_start: get(row, "xact_start")?,
        query_start: get(row, "query_start")?,
        state_change: get(row, "state_change")?,
        state: text(row, "state")?.map(|state| SessionState::from_catalog(&state)),
        wait_event_type: text(row, "wait_event_type")?,
        wait_event: text(row, "wait_event")?,
        leader_pid: get(row, "leader_pid")?,
        xmin_age: get(row, "xmin_age")?,
        query: text(row, "query")?.filter(|_| !masked),
    })
}
