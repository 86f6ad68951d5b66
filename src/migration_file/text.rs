//! Values of the file: texts, lengths, moments.

use std::time::{Duration, SystemTime};

use toml_edit::Value;

use crate::toml_file::quoted;

/// A string.
pub(super) fn string(text: &str) -> Value {
    quoted(text).parse().expect("every quote is an escape")
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

    #[test]
    fn durations_are_whole_milliseconds() {
        let said = |nanos| duration(Duration::from_nanos(nanos)).map(|value| value.to_string());
        assert_eq!(said(999_999), None);
        assert_eq!(said(61_001_999_999).as_deref(), Some("\"1m 1s 1ms\""));
    }
}
