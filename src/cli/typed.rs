//! The words of the command line as they were typed, and what is said when they make no sense. That
//! must never repeat a password: a connection string without quotes falls into pieces, and clap
//! repeats the pieces.

use std::ffi::OsString;
use std::time::Duration;

use clap::Parser;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::Cli;
use crate::lease::{Bridge, Name, NotAName};
use crate::snippet::Language;

const NOT_REPEATED: &str = "\
an argument is out of place; it is not repeated, since it may hold a password
hint: a connection string is one word after the command, in quotes if it holds blanks:
      lockaudit scan 'host=db1 dbname=orders'
";

/// What these words ask for.
///
/// # Errors
/// What clap has to say, help and version too; without an argument that may hold a password.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let words = with_negative_pairs_marked(words.into_iter().collect());
    Cli::try_parse_from(&words).map_err(|error| match repeats_a_secret(&error, &words) {
        true => clap::Error::raw(error.kind(), NOT_REPEATED),
        false => error,
    })
}

/// Whether these words ask for a command to be run, whose exit status is the answer.
pub fn runs_a_command(words: impl IntoIterator<Item = OsString>) -> bool {
    let words: Vec<OsString> = words.into_iter().skip(1).take(2).collect();
    words == ["lease", "run"]
}

/// clap takes `-7` for a number and `-7,-42` for flags; `keys explain` takes both for keys.
fn with_negative_pairs_marked(mut words: Vec<OsString>) -> Vec<OsString> {
    let explains = words.get(1).is_some_and(|word| word == "keys")
        && words.get(2).is_some_and(|word| word == "explain");
    if explains {
        for word in words.iter_mut().take_while(|word| *word != "--") {
            if is_negative_pair(&word.to_string_lossy()) {
                *word = format!("({})", word.to_string_lossy()).into();
            }
        }
    }
    words
}

fn is_negative_pair(word: &str) -> bool {
    let is_number = |half: &str| half.trim().parse::<i32>().is_ok();
    let halves = word.split_once(',');
    word.starts_with('-') && halves.is_some_and(|(one, two)| is_number(one) && is_number(two))
}

fn repeats_a_secret(error: &clap::Error, words: &[OsString]) -> bool {
    let repeated = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => word.as_str(),
        _ => "",
    };
    let stray = match error.kind() {
        ErrorKind::InvalidSubcommand => repeated(ContextKind::InvalidSubcommand),
        ErrorKind::UnknownArgument => repeated(ContextKind::InvalidArg),
        _ => return is_connection_string(repeated(ContextKind::InvalidValue)),
    };
    !stray.is_empty() && !stray.starts_with('-') && (may_be_a_piece(stray) || is_cut(words))
}

/// Whether a value is a connection string where none belongs.
pub(super) fn is_connection_string(value: &str) -> bool {
    value.contains("://") || value.to_ascii_lowercase().contains("password")
}

fn may_be_a_piece(word: &str) -> bool {
    is_connection_string(word) || word.contains([':', '/', '=', '@', '%', '\''])
}

/// Whether some word looks like the first piece of a connection string that was cut at a blank.
fn is_cut(words: &[OsString]) -> bool {
    words.iter().map(|word| word.to_string_lossy()).any(|word| {
        let authority = word.split_once("://").map(|(_, rest)| rest);
        authority.is_some_and(|rest| !rest.contains(['@', '/']))
            || (!word.starts_with('-') && word.to_ascii_lowercase().contains("password"))
    })
}

/// A database's name, where a connection string may be meant.
///
/// # Errors
/// When it is a connection string.
pub(super) fn database_name(name: &str) -> Result<String, String> {
    match is_connection_string(name) && name.contains(['/', '=']) {
        true => Err("that is a connection string, and a database's name was asked for".to_owned()),
        false => Ok(name.to_owned()),
    }
}

/// A lease's name, where a connection string may be meant.
///
/// # Errors
/// When it is one, or no name.
pub(super) fn lease_name(name: &str) -> Result<Name, String> {
    match is_connection_string(name) {
        true => {
            Err("that is a connection string, and a lease's name was asked for first".to_owned())
        }
        false => name.parse().map_err(|error: NotAName| error.to_string()),
    }
}

/// A duration with its units.
///
/// # Errors
/// When it is none.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|error| format!("{error}; write 30s, 5m or 1h 30m"))
}

/// How long a lease lasts.
///
/// # Errors
/// When it is no duration, shorter than a network answers, or longer than anybody means.
pub(super) fn ttl(text: &str) -> Result<Duration, String> {
    const LONGEST: Duration = Duration::from_secs(365 * 86_400);
    match duration(text)? {
        short if short < Duration::from_secs(1) => Err("a lease lasts 1s at least".to_owned()),
        long if long > LONGEST => Err("a lease lasts 365days at most".to_owned()),
        ttl => Ok(ttl),
    }
}

/// What new code does about the old key, of the words for it.
pub(super) fn bridge() -> impl TypedValueParser<Value = Bridge> {
    let all = [Bridge::Hold, Bridge::Probe, Bridge::None];
    PossibleValuesParser::new(all.map(Bridge::as_str)).map(move |word| {
        let found = all.into_iter().find(|bridge| bridge.as_str() == word);
        found.expect("only these words come through")
    })
}

/// A language that there is a snippet for.
pub(super) fn language() -> impl TypedValueParser<Value = Language> {
    PossibleValuesParser::new(Language::ALL.map(Language::as_str))
        .map(|word| word.parse().expect("only these words come through"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(words: &str) -> String {
        let words = words.split(' ').map(OsString::from);
        parse(words).unwrap_err().to_string()
    }

    #[test]
    fn no_piece_of_a_password_is_repeated() {
        for words in [
            "lockaudit postgres://app:s3cret@db1/orders",
            "lockaudit scan host=db1 password=s3cret",
            "lockaudit scan password=my s3cret",
            "lockaudit scan password = s3cret",
            "lockaudit scan db1 postgres://app:s3cret@db1/orders",
            "lockaudit scan postgres://app:my s3cret@db1/orders",
            "lockaudit scan postgres://app:my s3cret word@db1/orders",
            "lockaudit scan --database postgres://app:s3cret@db1/orders",
            "lockaudit scan --pool-size postgres://app:s3cret@db1/orders",
            "lockaudit release --pid 1 --key postgres://app:s3cret@db1/orders",
            "lockaudit release --pid 1 --key 2 --database password=s3cret",
            "lockaudit keys derive x --database postgres://app:s3cret@db1/orders",
        ] {
            let said = complaint(words);
            assert!(!said.contains("s3cret"), "{words}: {said}");
            assert!(said.contains("connection string is one word"), "{said}");
        }
    }

    #[test]
    fn other_words_are_repeated() {
        assert!(complaint("lockaudit scna").contains("'scna'"));
        assert!(complaint("lockaudit scan postgres://app@db1/orders more").contains("'more'"));
        assert!(complaint("lockaudit scan --colour").contains("'--colour'"));
        assert!(complaint("lockaudit scan --pool-size api=0").contains("'api=0'"));
        assert!(complaint("lockaudit scan --password s3cret").contains("--no-password"));
        assert!(complaint("lockaudit scan --input f --samples 3").contains("--samples"));
    }

    #[test]
    fn a_pair_of_integers_may_begin_with_a_minus() {
        for pair in ["-7,-42", "-7,42"] {
            let words = ["lockaudit", "keys", "explain", pair, "--database", "app"];
            assert!(parse(words.map(OsString::from)).is_ok(), "{pair}");
        }
    }
}
