//! A key as people type it: `42`, `-7,-42` or, as `pg_locks` shows it, `classid/objid/objsubid`.

use std::fmt;
use std::str::FromStr;

use super::{AdvisoryKey, AdvisoryTag};

/// What was typed is no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAKey(String);

impl fmt::Display for NotAKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is no key: write 42 (a 64-bit number), -7,-42 (two of 32 bits) or \
             CLASSID/OBJID/OBJSUBID (as pg_locks shows it)",
            self.0
        )
    }
}

impl std::error::Error for NotAKey {}

impl FromStr for AdvisoryTag {
    type Err = NotAKey;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        tag(text).ok_or_else(|| NotAKey(text.to_owned()))
    }
}

fn tag(text: &str) -> Option<AdvisoryTag> {
    if let [classid, objid, objsubid] = text.split('/').collect::<Vec<_>>()[..] {
        return Some(AdvisoryTag {
            classid: number(classid)?,
            objid: number(objid)?,
            objsubid: number(objsubid)?,
        });
    }
    key(text.trim()).map(AdvisoryKey::tag)
}

/// A pair also as the scan shows it, in brackets.
fn key(text: &str) -> Option<AdvisoryKey> {
    let bare = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
        .unwrap_or(text);
    match bare.split_once(',') {
        Some((first, second)) => Some(AdvisoryKey::Pair(number(first)?, number(second)?)),
        None => number(bare).map(AdvisoryKey::Single),
    }
}

fn number<T: FromStr>(text: &str) -> Option<T> {
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Option<AdvisoryTag> {
        text.parse().ok()
    }

    #[test]
    fn reads_both_key_spaces_and_raw_tags() {
        assert_eq!(read("42"), Some(AdvisoryKey::Single(42).tag()));
        assert_eq!(
            read("-9223372036854775808"),
            Some(AdvisoryKey::Single(i64::MIN).tag())
        );
        for pair in ["-7,-42", "-7, -42", "(-7, -42)"] {
            assert_eq!(read(pair), Some(AdvisoryKey::Pair(-7, -42).tag()));
        }
        let tag = AdvisoryTag {
            classid: 4_294_967_289,
            objid: 102_008,
            objsubid: 5,
        };
        assert_eq!(read("4294967289/102008/5"), Some(tag));
    }

    #[test]
    fn says_how_to_write_what_it_cannot_read() {
        for wrong in [
            "",
            "x",
            "9223372036854775808",
            "1,2,3",
            "2147483648,0",
            "1/2",
            "-1/2/1",
            "1/2/3/4",
            "()",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        let said = "x".parse::<AdvisoryTag>().unwrap_err().to_string();
        assert!(said.starts_with("`x` is no key: write 42"), "{said}");
    }

    proptest! {
        #[test]
        fn what_a_tag_is_shown_as_is_read_as_that_tag(classid: u32, objid: u32, objsubid: i16) {
            let tag = AdvisoryTag { classid, objid, objsubid };
            prop_assert_eq!(read(&tag.to_string()), Some(tag));
        }
    }
}
