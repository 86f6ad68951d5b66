//! What can be typed next, as it must be typed: for this name, in this table, with this period.

use std::time::Duration;

use crate::lease::{Mode, Name, TableName};
use crate::text::shell_word;

/// The period that is asked for unless somebody says otherwise.
pub const USUAL_PERIOD: Duration = Duration::from_secs(24 * 60 * 60);

/// `lockaudit migrate advance NAME …`; `word` is the step's.
pub fn step(word: &str, name: &Name, table: &str, period: Duration) -> String {
    let flags = flags(table, period);
    match name.as_str().starts_with('-') {
        true => format!(
            "lockaudit migrate {word}{flags} -- {}",
            shell_word(name.as_str())
        ),
        false => format!(
            "lockaudit migrate {word} {}{flags}",
            shell_word(name.as_str())
        ),
    }
}

/// `lockaudit migrate status --wait-for MODE --name=NAME …`
pub fn wait_for(mode: Mode, name: &Name, table: &str, period: Duration) -> String {
    format!(
        "lockaudit migrate status --wait-for {} --name={}{}",
        mode.as_str(),
        shell_word(name.as_str()),
        flags(table, period)
    )
}

/// What everybody has unless they say otherwise is not said.
fn flags(table: &str, period: Duration) -> String {
    let mut flags = String::new();
    if table != TableName::default().quoted() {
        flags.push_str(&format!(" --table {}", shell_word(table)));
    }
    if period != USUAL_PERIOD {
        let period = humantime::format_duration(period).to_string();
        flags.push_str(&format!(" --period {}", shell_word(&period)));
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Name {
        name.parse().unwrap()
    }

    #[test]
    fn what_is_usual_is_not_said() {
        let usual = step("advance", &named("sweep"), "lockaudit_lease", USUAL_PERIOD);
        assert_eq!(usual, "lockaudit migrate advance sweep");
        let waiting = wait_for(
            Mode::Lease,
            &named("sweep"),
            "lockaudit_lease",
            USUAL_PERIOD,
        );
        assert_eq!(
            waiting,
            "lockaudit migrate status --wait-for lease --name=sweep"
        );
    }

    #[test]
    fn another_table_and_another_period_are_said_and_a_dash_is_no_flag() {
        let table = "\"jobs\".\"leases\"";
        let minutes = Duration::from_secs(90);
        assert_eq!(
            step("advance", &named("it's"), table, minutes),
            r#"lockaudit migrate advance 'it'\''s' --table '"jobs"."leases"' --period '1m 30s'"#
        );
        assert_eq!(
            step(
                "rollback",
                &named("-dash"),
                "lockaudit_lease",
                Duration::from_secs(2)
            ),
            "lockaudit migrate rollback --period 2s -- '-dash'"
        );
    }
}
