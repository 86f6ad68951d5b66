//! Single values: times and durations.

use std::time::{Duration, SystemTime};

use crate::text::YEAR_10000;

/// RFC 3339 with microseconds, UTC; `None` for a time before 1970 or after 9999 (`infinity`), which no clock shows.
pub(super) fn timestamp(time: SystemTime) -> Option<String> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    (since < YEAR_10000).then(|| humantime::format_rfc3339_micros(time).to_string())
}

/// Seconds, to the millisecond.
pub(super) fn seconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1_000.0).round() / 1_000.0
}
