//! Rows of `sql/timeouts.sql` and `sql/overrides.sql`.

use std::time::Duration;

use anyhow::{Context, Result};
use tokio_postgres::{Client, Row};

use super::column::{get, required_text};
use super::names::Names;
use super::question::{OVERRIDES, TIMEOUTS};
use crate::snapshot::{TimeoutOverride, TimeoutSettings};

/// The limits of our own session, as they were before the sample set its own.
pub(super) async fn read(client: &Client) -> Result<TimeoutSettings> {
    let row = TIMEOUTS.ask_one(client).await?;
    let setting = |column| -> Result<Option<Duration>> {
        let seconds: Option<f64> = get(&row, column)?;
        seconds
            .map(|seconds| Duration::try_from_secs_f64(seconds).context("a negative time limit"))
            .transpose()
    };
    Ok(TimeoutSettings {
        statement_timeout: setting("statement_timeout")?,
        lock_timeout: setting("lock_timeout")?,
        idle_in_transaction_session_timeout: setting("idle_in_transaction_session_timeout")?,
        idle_session_timeout: setting("idle_session_timeout")?,
        transaction_timeout: setting("transaction_timeout")?,
        client_connection_check_interval: setting("client_connection_check_interval")?,
    })
}

/// What roles and databases have of their own. A value that no server would take is passed over.
pub(super) async fn overrides(client: &Client, names: &Names) -> Result<Vec<TimeoutOverride>> {
    let rows = OVERRIDES.ask(client, &[]).await?;
    let decoded = rows.iter().map(|row| decode_override(row, names));
    decoded.filter_map(Result::transpose).collect()
}

fn decode_override(row: &Row, names: &Names) -> Result<Option<TimeoutOverride>> {
    let named = |oid: u32, name: fn(&Names, u32) -> String| (oid != 0).then(|| name(names, oid));
    let role = named(get(row, "setrole")?, Names::role);
    let database = named(get(row, "setdatabase")?, Names::database);
    let setting = required_text(row, "setting")?;
    Ok(TimeoutOverride::of(role, database, &setting))
}
