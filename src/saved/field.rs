//! Fields that JSON has no type of its own for: times, numbers that may come as text, durations.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Deserializer, Serializer, ser::Error as _};

/// An oid or transaction id: a number, or digits in a string as PostgreSQL's JSON functions write it.
#[derive(Deserialize)]
#[serde(untagged)]
enum NumberOrText {
    Number(u32),
    Text(String),
}

impl NumberOrText {
    fn number<E: serde::de::Error>(self) -> Result<u32, E> {
        match self {
            Self::Number(number) => Ok(number),
            Self::Text(text) => text
                .parse()
                .map_err(|_| E::custom(format!("`{text}` is not a number from 0 to 4294967295"))),
        }
    }
}

pub(super) fn number<'de, D: Deserializer<'de>>(input: D) -> Result<u32, D::Error> {
    NumberOrText::deserialize(input)?.number()
}

pub(super) fn optional_number<'de, D: Deserializer<'de>>(
    input: D,
) -> Result<Option<u32>, D::Error> {
    Option::<NumberOrText>::deserialize(input)?
        .map(NumberOrText::number)
        .transpose()
}

/// RFC 3339 in UTC, written `Z` or `+00:00`.
pub(super) mod time {
    use super::{Deserialize, Deserializer, Serializer, SystemTime};

    pub fn serialize<S: Serializer>(time: &SystemTime, output: S) -> Result<S::Ok, S::Error> {
        super::write_time(*time, output)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<SystemTime, D::Error> {
        super::read_time(&String::deserialize(input)?)
    }
}

/// The same, or null.
pub(super) mod optional_time {
    use super::{Deserialize, Deserializer, Serializer, SystemTime};

    pub fn serialize<S: Serializer>(
        time: &Option<SystemTime>,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => super::write_time(*time, output),
            None => output.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        input: D,
    ) -> Result<Option<SystemTime>, D::Error> {
        Option::<String>::deserialize(input)?
            .map(|text| super::read_time(&text))
            .transpose()
    }
}

fn write_time<S: Serializer>(time: SystemTime, output: S) -> Result<S::Ok, S::Error> {
    if time < SystemTime::UNIX_EPOCH {
        return Err(S::Error::custom("a time before 1970"));
    }
    output.collect_str(&humantime::format_rfc3339_micros(time))
}

fn read_time<E: serde::de::Error>(text: &str) -> Result<SystemTime, E> {
    let utc = match text.strip_suffix("+00:00") {
        Some(time) => format!("{time}Z"),
        None => text.to_owned(),
    };
    humantime::parse_rfc3339(&utc).map_err(|_| {
        E::custom(format!(
            "`{text}` is not a time in UTC (2026-11-30T03:12:44Z)"
        ))
    })
}

/// Seconds; null is "no such setting".
pub(super) mod optional_seconds {
    use super::{Deserialize, Deserializer, Duration, Serializer};
    use serde::de::Error;

    pub fn serialize<S: Serializer>(
        duration: &Option<Duration>,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        match duration {
            Some(duration) => output.serialize_f64(duration.as_secs_f64()),
            None => output.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Duration>, D::Error> {
        Option::<f64>::deserialize(input)?
            .map(|seconds| {
                Duration::try_from_secs_f64(seconds)
                    .map_err(|_| D::Error::custom(format!("{seconds} is not a number of seconds")))
            })
            .transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_times_that_servers_and_we_write() {
        let read = |text| read_time::<serde_json::Error>(text).ok();
        let known = read("2026-11-30T17:20:11.18242Z");
        assert!(known.is_some());
        assert_eq!(read("2026-11-30T17:20:11.18242+00:00"), known);
        for wrong in [
            "infinity",
            "-infinity",
            "2026-11-30",
            "",
            "2026-11-30T17:20:11+01:00",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
