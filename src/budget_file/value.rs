//! The values that only a budget has: numbers of connections, per cent, rates, shares. A number with a
//! point is no number of connections.

use std::time::Duration;

use toml::de::DeValue;

use crate::budget::deploy::Share;
use crate::budget::plan::Rate;
use crate::toml_file::value::{not_whole, whole};
use crate::toml_file::{Section, Wrong};

/// What a section of a budget is asked for.
pub(super) trait BudgetValues {
    /// A whole number of at least `least`.
    fn count(&self, key: &'static str, least: u64) -> Option<u64>;
    fn rate(&self, key: &'static str) -> Option<Rate>;
    fn share(&self, key: &'static str) -> Option<Share>;
    fn percent(&self, key: &'static str) -> Option<u64>;
}

impl BudgetValues for Section<'_> {
    fn count(&self, key: &'static str, least: u64) -> Option<u64> {
        self.read(key, |value| count(key, value, least))
    }

    fn rate(&self, key: &'static str) -> Option<Rate> {
        self.read(key, |value| rate(key, value))
    }

    fn share(&self, key: &'static str) -> Option<Share> {
        self.read(key, |value| share(key, value))
    }

    fn percent(&self, key: &'static str) -> Option<u64> {
        self.read(key, |value| percent(key, value))
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
fn count(key: &str, value: &DeValue<'_>, least: u64) -> Result<u64, Wrong> {
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

/// `"5/s"`, `"300/m"`, `"2/h"`
fn rate(key: &str, value: &DeValue<'_>) -> Result<Rate, Wrong> {
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
fn share(key: &str, value: &DeValue<'_>) -> Result<Share, Wrong> {
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
fn percent(key: &str, value: &DeValue<'_>) -> Result<u64, Wrong> {
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
