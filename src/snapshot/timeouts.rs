//! The server's time limits that bear on locks.

use std::time::Duration;

/// Time limits that bear on locks, by the server's names. Zero is off, as in the server; `None`: the
/// server has no such setting.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Timeouts {
    /// As a new session of our own role gets them.
    pub defaults: TimeoutSettings,
    /// Deviations by `ALTER ROLE` and `ALTER DATABASE`.
    pub overrides: Vec<TimeoutOverride>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TimeoutSettings {
    pub statement_timeout: Option<Duration>,
    pub lock_timeout: Option<Duration>,
    pub idle_in_transaction_session_timeout: Option<Duration>,
    /// 14 and later.
    pub idle_session_timeout: Option<Duration>,
    /// 17 and later.
    pub transaction_timeout: Option<Duration>,
    /// 14 and later.
    pub client_connection_check_interval: Option<Duration>,
}

/// One setting that a role, a database, or a role in a database has of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeoutOverride {
    /// `None`: every role.
    pub role: Option<String>,
    /// `None`: every database.
    pub database: Option<String>,
    pub setting: String,
    pub value: Duration,
}

impl TimeoutOverride {
    /// From an assignment as the catalog holds it: `lock_timeout=5s`. `None` for a value that no
    /// server would take.
    pub fn of(role: Option<String>, database: Option<String>, assignment: &str) -> Option<Self> {
        let (setting, value) = assignment.split_once('=')?;
        Some(Self {
            role,
            database,
            setting: setting.to_owned(),
            value: time_limit(value)?,
        })
    }
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
