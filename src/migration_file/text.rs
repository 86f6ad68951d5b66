//! TOML that is safe to look at: what could act on a terminal, or hide from an eye, is an escape.

use std::fmt::Write;
use std::time::{Duration, SystemTime};

use toml_edit::Value;

use crate::text::is_hostile;

/// A string.
pub(super) fn string(text: &str) -> Value {
    let mut written = String::with_capacity(text.len() + 2);
    written.push('"');
    for character in text.chars() {
        match character {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            // All hostile characters have four digits.
            hidden if is_hostile(hidden) => {
                write!(written, "\\u{:04X}", u32::from(hidden)).expect("memory takes it");
            }
            plain => written.push(plain),
        }
    }
    written.push('"');
    written.parse().expect("every quote is an escape")
}

/// A list of strings.
pub(super) fn strings<'a>(texts: impl IntoIterator<Item = &'a str>) -> Value {
    Value::Array(texts.into_iter().map(string).collect())
}

/// To the millisecond; `None` for less.
pub(super) fn duration(duration: Duration) -> Option<Value> {
    let whole = Duration::from_millis(u64::try_from(duration.as_millis()).ok()?);
    (whole > Duration::ZERO).then(|| string(&humantime::format_duration(whole).to_string()))
}

/// By the server's clock; `None` for a time that no server means.
pub(super) fn moment(time: SystemTime) -> Option<Value> {
    time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(string(&humantime::format_rfc3339_micros(time).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_text_reads_back_and_nothing_acts_on_a_terminal(text in "\\PC{0,20}|[\\x00-\\x7f\u{9b}\u{202e}]{0,20}") {
            let value = string(&text);
            prop_assert_eq!(value.as_str(), Some(text.as_str()));
            prop_assert!(!value.to_string().contains(is_hostile));
        }
    }

    #[test]
    fn durations_are_whole_milliseconds() {
        let said = |nanos| duration(Duration::from_nanos(nanos)).map(|value| value.to_string());
        assert_eq!(said(999_999), None);
        assert_eq!(said(61_001_999_999).as_deref(), Some("\"1m 1s 1ms\""));
    }
}
