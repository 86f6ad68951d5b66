//! The row of `sql/timeouts.sql`.

use std::time::Duration;

use anyhow::{Context, Result};
use tokio_postgres::Client;

use super::column::get;
use super::question::TIMEOUTS;
use crate::snapshot::TimeoutSettings;

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
