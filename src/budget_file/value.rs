//! The values of the file: whole numbers, per cent, durations, rates, words. A number with a point
//! is no number of connections.

use std::time::Duration;

use toml::de::DeValue;

use crate::budget::deploy::Share;
use crate::budget::plan::Rate;

/// What is wrong with a value, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wrong {
    pub message: String,
    pub instead: Option<String>,
}

impl Wrong {
    pub(super) fn saying(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            instead: None,
        }
    }

    pub(super) fn write(mut self, instead: impl Into<String>) -> Self {
        self.instead = Some(instead.into());
        self
    }
}

/// Keys of which -1, or a word, means "no limit" in some library.
const CEILINGS: [(&str, &str); 5] = [
    (
        "pool",
        "the real ceiling, for example pool = 10 (SetMaxOpenConns, max_connections, pool_size)",
    ),
    (
        "overflow",
        "the real ceiling, for example overflow = 10 (max_overflow)",
    ),
    ("extra", "how many, for example extra = 1"),
    (
        "pool_size",
        "the real ceiling, for example pool_size = 20 (default_pool_size)",
    ),
    ("own_pool", "the real ceiling, for example own_pool = 4"),
];

/// What `budget import` writes for a number that nobody knows yet.
const TO_BE_FILLED_IN: &str = "?";

/// A whole number of at least `least`.
pub(super) fn count(key: &str, value: &DeValue<'_>, least: u64) -> Result<u64, Wrong> {
    let ceiling = CEILINGS
        .iter()
        .find(|(name, _)| *name == key)
        .map(|(_, instead)| *instead);
    if value.as_str() == Some(TO_BE_FILLED_IN) {
        let instead = ceiling.map_or(format!("how many, for example {key} = 2"), str::to_owned);
        return Err(Wrong::saying("is still to be filled in").write(instead));
    }
    match (whole(value), ceiling) {
        (Some(number), _) if (i128::from(least)..=i128::from(u32::MAX)).contains(&number) => {
            Ok(u64::try_from(number).unwrap_or(u64::MAX))
        }
        (Some(number), _) if number > i128::from(u32::MAX) => Err(Wrong::saying(format!(
            "is out of range: {number} is more than any fleet has"
        ))),
        (Some(0), Some(instead)) => Err(Wrong::saying(format!(
            "must be at least {least} (0 means \"no limit\" in some libraries)"
        ))
        .write(instead)),
        (Some(-1), Some(instead)) => Err(unlimited().write(instead)),
        (Some(_), _) => Err(Wrong::saying(format!(
            "must be a whole number, {least} or more"
        ))),
        (None, Some(instead)) if says_unlimited(value) => Err(unlimited().write(instead)),
        (None, _) => Err(not_whole(key, value, least)),
    }
}

fn unlimited() -> Wrong {
    Wrong::saying("has no limit, and what has no limit can't be budgeted")
}

fn says_unlimited(value: &DeValue<'_>) -> bool {
    let word = value.as_str().map(str::to_ascii_lowercase);
    let word = word.as_deref().unwrap_or_default();
    [
        "unlimited",
        "none",
        "infinite",
        "infinity",
        "inf",
        "nil",
        "null",
        "-1",
        "0",
    ]
    .contains(&word)
        || matches!(value, DeValue::Float(float) if float.as_str().ends_with("inf"))
}

fn not_whole(key: &str, value: &DeValue<'_>, least: u64) -> Wrong {
    let wrong = Wrong::saying(format!(
        "must be a whole number, {least} or more, not a {}",
        value.type_str()
    ));
    match value.as_str().map(str::parse::<u32>) {
        Some(Ok(number)) => wrong.write(format!("{key} = {number} (without quotes)")),
        _ => wrong,
    }
}

/// Whatever TOML calls an integer; beyond 64 bits too, so that it is said to be out of range.
fn whole(value: &DeValue<'_>) -> Option<i128> {
    let integer = value.as_integer()?;
    let digits = integer.as_str().replace('_', "");
    Some(i128::from_str_radix(&digits, integer.radix()).unwrap_or(i128::MAX))
}

pub(super) fn text(value: &DeValue<'_>) -> Result<String, Wrong> {
    match value.as_str() {
        Some(text) => Ok(text.to_owned()),
        None => Err(Wrong::saying(format!(
            "must be text in quotes, not a {}",
            value.type_str()
        ))),
    }
}

pub(super) fn flag(key: &str, value: &DeValue<'_>) -> Result<bool, Wrong> {
    let wrong = || {
        let message = format!("must be true or false, not a {}", value.type_str());
        Wrong::saying(message).write(format!("{key} = true"))
    };
    value.as_bool().ok_or_else(wrong)
}

/// `"3s"`, `"500ms"`, `"1h 30m"`; never nothing.
pub(super) fn duration(key: &str, value: &DeValue<'_>) -> Result<Duration, Wrong> {
    if let Some(number) = whole(value).or_else(|| value.as_str()?.trim().parse().ok()) {
        let wrong = Wrong::saying("has no unit");
        return Err(match u64::try_from(number) {
            Ok(number) => wrong.write(format!("{key} = \"{number}s\" or \"{number}ms\"")),
            Err(_) => wrong.write(format!("{key} = \"3s\"")),
        });
    }
    let example = || format!("{key} = \"3s\", \"500ms\" or \"2m\"");
    let text = text(value).map_err(|wrong| wrong.write(example()))?;
    match humantime::parse_duration(&text) {
        Ok(Duration::ZERO) => Err(Wrong::saying("must be longer than nothing").write(example())),
        Ok(duration) => Ok(duration),
        Err(error) => Err(Wrong::saying(format!("is no duration: {error}")).write(example())),
    }
}

/// `"5/s"`, `"300/m"`, `"2/h"`
pub(super) fn rate(key: &str, value: &DeValue<'_>) -> Result<Rate, Wrong> {
    let example = format!("{key} = \"5/s\", \"300/m\" or \"2/h\"");
    let wrong = || Wrong::saying("is no rate").write(example.clone());
    let (events, per) = value
        .as_str()
        .and_then(|text| text.split_once('/'))
        .ok_or_else(wrong)?;
    let per = match per.trim() {
        "s" => 1,
        "m" | "min" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => return Err(wrong()),
    };
    match events.trim().parse::<u32>() {
        Ok(events @ 1..) => Ok(Rate {
            events: events.into(),
            per: Duration::from_secs(per),
        }),
        _ => Err(wrong()),
    }
}

/// `3` or `"25%"`
pub(super) fn share(key: &str, value: &DeValue<'_>) -> Result<Share, Wrong> {
    match (value.as_integer(), value.as_str()) {
        (Some(_), _) => count(key, value, 0).map(Share::Count),
        (_, Some(text)) => percentage(text).map(Share::Percent).ok_or_else(|| {
            Wrong::saying("is neither a whole number nor a percentage")
                .write(format!("{key} = 1 or {key} = \"25%\""))
        }),
        _ => Err(Wrong::saying(format!(
            "must be a whole number or a percentage in quotes, not a {}",
            value.type_str()
        ))
        .write(format!("{key} = 1 or {key} = \"25%\""))),
    }
}

/// `"80%"`
pub(super) fn percent(key: &str, value: &DeValue<'_>) -> Result<u64, Wrong> {
    let written = value.as_str().and_then(percentage);
    written.ok_or_else(|| {
        let example = match whole(value) {
            Some(number @ 0..) => format!("{key} = \"{number}%\""),
            _ => format!("{key} = \"80%\""),
        };
        Wrong::saying("must be a whole number of per cent, in quotes").write(example)
    })
}

fn percentage(text: &str) -> Option<u64> {
    let digits = text.trim().strip_suffix('%')?.trim_end();
    let is_plain = digits.chars().all(|digit| digit.is_ascii_digit());
    let number: u32 = digits.parse().ok().filter(|_| is_plain)?;
    Some(number.into())
}

pub(super) fn word<T: Copy>(
    key: &str,
    value: &DeValue<'_>,
    words: &[(&str, T)],
) -> Result<T, Wrong> {
    let written = text(value)?;
    let found = words.iter().find(|(word, _)| *word == written);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let known: Vec<String> = words
            .iter()
            .map(|(word, _)| format!("\"{word}\""))
            .collect();
        let near = nearest(&written, words.iter().map(|(word, _)| *word));
        let instead = match near {
            Some(near) => format!("{key} = \"{near}\""),
            None => format!("one of {}", known.join(", ")),
        };
        Wrong::saying(format!(
            "is \"{written}\", which is none of {}",
            known.join(", ")
        ))
        .write(instead)
    })
}

pub(super) fn unknown_key(title: &str, key: &str, known: &[&'static str]) -> Wrong {
    let wrong = Wrong::saying(format!("unknown key `{key}` in {title}"));
    match nearest(key, known.iter().copied()) {
        Some(near) => wrong.write(format!("`{near}`")),
        None => wrong.write(format!("one of its keys: {}", known.join(", "))),
    }
}

/// The word that was meant, if it is but a slip away.
pub(super) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = known.map(|known| (strsim::damerau_levenshtein(word, known), known));
    let near = near.filter(|(slips, known)| slips * 3 <= known.len().clamp(3, 6));
    near.min_by_key(|(slips, _)| *slips).map(|(_, known)| known)
}
