//! Values as they are written: text, flags, whole numbers, durations, words. What is wrong with one is
//! said with what to write instead.

use std::time::Duration;

use toml::de::DeValue;

/// What is wrong with a value, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub message: String,
    pub instead: Option<String>,
}

impl Wrong {
    pub(crate) fn saying(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            instead: None,
        }
    }

    pub(crate) fn write(mut self, instead: impl Into<String>) -> Self {
        self.instead = Some(instead.into());
        self
    }
}

/// A whole number of at least `least`.
pub(crate) fn whole_number(key: &str, value: &DeValue<'_>, least: u64) -> Result<u64, Wrong> {
    match whole(value) {
        Some(number) if (i128::from(least)..=i128::from(u32::MAX)).contains(&number) => {
            Ok(u64::try_from(number).unwrap_or(u64::MAX))
        }
        Some(number) if number > i128::from(u32::MAX) => {
            Err(Wrong::saying(format!("is out of range: {number}")))
        }
        Some(_) => Err(Wrong::saying(format!(
            "must be a whole number, {least} or more"
        ))),
        None => Err(not_whole(key, value, least)),
    }
}

pub(crate) fn not_whole(key: &str, value: &DeValue<'_>, least: u64) -> Wrong {
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
pub(crate) fn whole(value: &DeValue<'_>) -> Option<i128> {
    let integer = value.as_integer()?;
    let digits = integer.as_str().replace('_', "");
    Some(i128::from_str_radix(&digits, integer.radix()).unwrap_or(i128::MAX))
}

pub(crate) fn text(value: &DeValue<'_>) -> Result<String, Wrong> {
    match value.as_str() {
        Some(text) => Ok(text.to_owned()),
        None => Err(Wrong::saying(format!(
            "must be text in quotes, not a {}",
            value.type_str()
        ))),
    }
}

pub(crate) fn texts(value: &DeValue<'_>) -> Result<Vec<String>, Wrong> {
    let DeValue::Array(elements) = value else {
        return Err(Wrong::saying(format!(
            "must be a list of texts in quotes, not a {}",
            value.type_str()
        )));
    };
    let elements = elements.iter();
    elements.map(|element| text(element.get_ref())).collect()
}

pub(crate) fn flag(key: &str, value: &DeValue<'_>) -> Result<bool, Wrong> {
    let wrong = || {
        let message = format!("must be true or false, not a {}", value.type_str());
        Wrong::saying(message).write(format!("{key} = true"))
    };
    value.as_bool().ok_or_else(wrong)
}

/// `"3s"`, `"500ms"`, `"1h 30m"`; never nothing.
pub(crate) fn duration(key: &str, value: &DeValue<'_>) -> Result<Duration, Wrong> {
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

pub(crate) fn word<T: Copy>(
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

pub(crate) fn each_word<T: Copy>(
    key: &str,
    value: &DeValue<'_>,
    words: &[(&str, T)],
) -> Result<Vec<T>, Wrong> {
    let DeValue::Array(elements) = value else {
        return texts(value).map(|_| Vec::new());
    };
    let elements = elements.iter();
    elements
        .map(|element| word(key, element.get_ref(), words))
        .collect()
}

pub(crate) fn unknown_key(title: &str, key: &str, known: &[&'static str]) -> Wrong {
    let wrong = Wrong::saying(format!("unknown key `{key}` in {title}"));
    match nearest(key, known.iter().copied()) {
        Some(near) => wrong.write(format!("`{near}`")),
        None => wrong.write(format!("one of its keys: {}", known.join(", "))),
    }
}

/// The word that was meant, if it is but a slip away.
pub(crate) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = known.map(|known| (strsim::damerau_levenshtein(word, known), known));
    let near = near.filter(|(slips, known)| slips * 3 <= known.len().clamp(3, 6));
    near.min_by_key(|(slips, _)| *slips).map(|(_, known)| known)
}
