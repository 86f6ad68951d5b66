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

impl Timeouts {
    /// What a session of this role in this database gets for a setting, unless it sets its own:
    /// `Some(ZERO)` is off, `None` not known. The nearest wins: role in database, role, database, all
    /// (`ALTER ROLE`, documentation).
    pub fn of_session(
        &self,
        setting: &str,
        role: Option<&str>,
        database: Option<&str>,
        viewer: &str,
    ) -> Option<Duration> {
        let of = |role: Option<&str>, database: Option<&str>| {
            let mut all = self.overrides.iter();
            all.find(|one| {
                one.setting == setting
                    && one.role.as_deref() == role
                    && one.database.as_deref() == database
            })
            .map(|one| one.value)
        };
        let ours = self
            .overrides
            .iter()
            .any(|one| one.setting == setting && one.role.as_deref() == Some(viewer));
        of(role, database)
            .or_else(|| of(role, None))
            .or_else(|| of(None, database))
            .or_else(|| of(None, None))
            // Our own default is everybody's, unless our role has one of its own.
            .or_else(|| self.defaults.get(setting).filter(|_| !ours))
    }
}

impl TimeoutSettings {
    /// By the server's name for it.
    pub fn get(&self, setting: &str) -> Option<Duration> {
        match setting {
            "statement_timeout" => self.statement_timeout,
            "lock_timeout" => self.lock_timeout,
            "idle_in_transaction_session_timeout" => self.idle_in_transaction_session_timeout,
            "idle_session_timeout" => self.idle_session_timeout,
            "transaction_timeout" => self.transaction_timeout,
            "client_connection_check_interval" => self.client_connection_check_interval,
            _ => None,
        }
    }
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
    fn the_nearest_setting_wins() {
        let set = |role: Option<&str>, database: Option<&str>, value: &str| {
            let owned = |name: Option<&str>| name.map(str::to_owned);
            TimeoutOverride::of(
                owned(role),
                owned(database),
                &format!("lock_timeout={value}"),
            )
        };
        let timeouts = Timeouts {
            defaults: TimeoutSettings {
                lock_timeout: Some(Duration::from_secs(9)),
                ..TimeoutSettings::default()
            },
            overrides: [
                set(None, Some("orders"), "3s"),
                set(Some("app"), None, "2s"),
                set(Some("app"), Some("orders"), "1s"),
            ]
            .into_iter()
            .flatten()
            .collect(),
        };
        let of = |role, database| {
            timeouts
                .of_session("lock_timeout", Some(role), Some(database), "auditor")
                .map(|limit| limit.as_secs())
        };
        assert_eq!(of("app", "orders"), Some(1));
        assert_eq!(of("app", "other"), Some(2));
        assert_eq!(of("web", "orders"), Some(3));
        assert_eq!(of("web", "other"), Some(9));
    }

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
