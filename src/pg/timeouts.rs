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
pub(super) async fn overrides(client: &Client) -> Result<Vec<Row>> {
    OVERRIDES.ask(client, &[]).await
}

pub(super) fn decode_override(row: &Row, names: &Names) -> Result<Option<TimeoutOverride>> {
    let named = |oid: u32, name: fn(&Names, u32) -> String| (oid != 0).then(|| name(names, oid));
    let role = named(get(row, "setrole")?, Names::role);
    let database = named(get(row, "setdatabase")?, Names::database);
    let setting = required_text(row, "setting")?;
    Ok(override_of(role, database, &setting))
}

fn override_of(
    role: Option<String>,
    database: Option<String>,
    assignment: &str,
) -> Option<TimeoutOverride> {
    let (setting, value) = assignment.split_once('=')?;
    Some(TimeoutOverride {
        role,
        database,
        setting: setting.to_owned(),
        value: time_limit(value)?,
    })
}

/// A time limit as people write it into a setting: milliseconds unless a unit is named.
fn time_limit(text: &str) -> Option<Duration> {
    let text = text.trim();
    let digits = text
        .find(|character: char| !character.is_ascii_digit() && character != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let seconds_each = match unit.trim() {
        "us" => 0.000_001,
        "" | "ms" => 0.001,
        "s" => 1.0,
        "min" => 60.0,
        "h" => 3_600.0,
        "d" => 86_400.0,
        _ => return None,
    };
    let number: f64 = number.parse().ok()?;
    Duration::try_from_secs_f64(number * seconds_each).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_time_limits_as_the_server_does() {
        assert_eq!(time_limit("0"), Some(Duration::ZERO));
        assert_eq!(time_limit("1500"), Some(Duration::from_millis(1_500)));
        assert_eq!(time_limit("1.5 s"), Some(Duration::from_millis(1_500)));
        assert_eq!(time_limit("2min"), Some(Duration::from_secs(120)));
        assert_eq!(time_limit("1d"), Some(Duration::from_secs(86_400)));
        assert_eq!(time_limit("soon"), None);
        assert_eq!(time_limit("-1"), None);
    }
}
