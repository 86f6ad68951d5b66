//! Values that must be one of a few words, or a number, with errors that list what is allowed.

use std::time::Duration;

use anyhow::bail;

use super::values::{Value, Values};

/// The meaning of the word given for `name`, if one is. An empty word is an error, as it is for libpq.
pub(super) fn word<T: Copy>(
    values: &Values,
    name: &str,
    allowed: &[(&str, T)],
) -> anyhow::Result<Option<T>> {
    let Some(value) = values.get(name) else {
        return Ok(None);
    };
    match allowed.iter().find(|(word, _)| *word == value.text) {
        Some((_, meaning)) => Ok(Some(*meaning)),
        None => bail!(unexpected(
            name,
            value,
            allowed.iter().map(|(word, _)| *word)
        )),
    }
}

/// The error about a word that is not one of the allowed ones.
pub(super) fn unexpected<'a>(
    name: &str,
    value: &Value,
    allowed: impl Iterator<Item = &'a str>,
) -> String {
    let allowed: Vec<String> = allowed.map(|word| format!("`{word}`")).collect();
    format!(
        "invalid {name} `{}` in {}: it must be one of {}",
        value.text,
        value.source,
        allowed.join(", ")
    )
}

/// A whole number as libpq reads one: blanks around it are allowed, an empty value is not.
pub(super) fn integer(values: &Values, name: &str) -> anyhow::Result<Option<i32>> {
    let Some(value) = values.get(name) else {
        return Ok(None);
    };
    match parse_integer(&value.text) {
        Some(number) => Ok(Some(number)),
        None => bail!(
            "invalid {name} `{}` in {}: it must be a whole number",
            value.text,
            value.source
        ),
    }
}

pub(super) fn parse_integer(text: &str) -> Option<i32> {
    text.trim_matches(super::conninfo::is_blank).parse().ok()
}

/// Zero and less leave the setting to the operating system.
pub(super) fn seconds(values: &Values, name: &str) -> anyhow::Result<Option<Duration>> {
    let positive = positive(values, name)?;
    Ok(positive.map(|number| Duration::from_secs(u64::from(number))))
}

/// Zero and less leave the setting to the operating system.
pub(super) fn milliseconds(values: &Values, name: &str) -> anyhow::Result<Option<Duration>> {
    let positive = positive(values, name)?;
    Ok(positive.map(|number| Duration::from_millis(u64::from(number))))
}

pub(super) fn positive(values: &Values, name: &str) -> anyhow::Result<Option<u32>> {
    let number = integer(values, name)?;
    Ok(number
        .and_then(|it| u32::try_from(it).ok())
        .filter(|it| *it > 0))
}
