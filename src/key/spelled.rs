//! Keys as people have them at hand: numbers, a row of `pg_locks`, a line of the server's log.

use std::str::FromStr;

use super::naming::Candidate;
use super::{AdvisoryKey, AdvisoryTag};

/// A key that somebody asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    pub tag: AdvisoryTag,
    /// The database's oid, where a log line says it.
    pub database: Option<u32>,
}

/// A key that was asked for, and who may have taken it.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    pub asked: Asked,
    pub known: Vec<Candidate>,
}

/// Why a text is no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoKey(String);

/// Reads what was typed. Two plain integers are one key, of the pair's key space.
///
/// # Errors
/// The first text that is no key.
pub fn read(texts: &[String]) -> Result<Vec<Asked>, NoKey> {
    if let [first, second] = texts
        && let (Ok(first), Ok(second)) = (first.trim().parse(), second.trim().parse())
    {
        return Ok(vec![asked(AdvisoryKey::Pair(first, second))]);
    }
    texts.iter().map(|text| one(text)).collect()
}

impl FromStr for Asked {
    type Err = NoKey;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        one(text)
    }
}

/// A tag as it is typed, without blanks: `42`, `-7,-42`, `0/102008/5`.
pub fn spell(tag: AdvisoryTag) -> String {
    match tag.key() {
        Some(AdvisoryKey::Pair(first, second)) => format!("{first},{second}"),
        _ => tag.to_string(),
    }
}

fn one(text: &str) -> Result<Asked, NoKey> {
    let read = log_line(text)
        .or_else(|| row(text))
        .or_else(|| pair(text))
        .or_else(|| single(text).map(asked));
    read.ok_or_else(|| NoKey(text.to_owned()))
}

fn asked(key: AdvisoryKey) -> Asked {
    Asked {
        tag: key.tag(),
        database: None,
    }
}

/// `[16384,0,42,1]` somewhere in a line, whatever language the server speaks: database, classid,
/// objid, objsubid. Source: `DescribeLockTag` in lmgr.c.
fn log_line(text: &str) -> Option<Asked> {
    let brackets = text.match_indices('[').map(|(at, _)| &text[at + 1..]);
    let mut tags = brackets.filter_map(|rest| {
        let (inside, _) = rest.split_once(']')?;
        let parts: Vec<&str> = inside.split(',').map(str::trim).collect();
        match parts.as_slice() {
            [database, classid, objid, objsubid] => Some(Asked {
                tag: tag([classid, objid, objsubid])?,
                database: Some(database.parse().ok()?),
            }),
            _ => None,
        }
    });
    tags.next()
}

/// `classid/objid/objsubid`
fn row(text: &str) -> Option<Asked> {
    let parts: Vec<&str> = text.split('/').map(str::trim).collect();
    let parts: [&str; 3] = parts.try_into().ok()?;
    Some(Asked {
        tag: tag(parts)?,
        database: None,
    })
}

fn tag([classid, objid, objsubid]: [&str; 3]) -> Option<AdvisoryTag> {
    // pg_locks shows objsubid signed, the log unsigned.
    let unsigned = || objsubid.parse::<u16>().map(u16::cast_signed).ok();
    let objsubid = objsubid.parse::<i16>().ok().or_else(unsigned)?;
    Some(AdvisoryTag {
        classid: classid.parse().ok()?,
        objid: objid.parse().ok()?,
        objsubid,
    })
}

/// `-7,-42`, as in SQL, with or without parentheses.
fn pair(text: &str) -> Option<Asked> {
    let text = text.trim();
    let inside = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    let (first, second) = inside.unwrap_or(text).split_once(',')?;
    let half = |text: &str| text.trim().parse::<i32>().ok();
    Some(asked(AdvisoryKey::Pair(half(first)?, half(second)?)))
}

/// A bigint; one beyond its range is read as unsigned, one with `0x` as bits.
fn single(text: &str) -> Option<AdvisoryKey> {
    let text = text.trim();
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?.cast_signed(),
        None => match text.parse::<i64>() {
            Ok(number) => number,
            Err(_) => text.parse::<u64>().ok()?.cast_signed(),
        },
    };
    Some(AdvisoryKey::Single(number))
}

impl std::fmt::Display for NoKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "`{}` is no key: write a bigint, two integers such as -7,-42, a row of pg_locks as \
             classid/objid/objsubid, or a log line with [database,classid,objid,objsubid]",
            self.0
        )
    }
}

impl std::error::Error for NoKey {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn keys(texts: &[&str]) -> Vec<AdvisoryKey> {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        let asked = read(&texts).unwrap_or_else(|error| panic!("{error}"));
        asked.iter().filter_map(|one| one.tag.key()).collect()
    }

    #[test]
    fn numbers_are_read_in_every_spelling() {
        assert_eq!(keys(&["72707369"]), [AdvisoryKey::Single(72_707_369)]);
        assert_eq!(keys(&["-42"]), [AdvisoryKey::Single(-42)]);
        assert_eq!(keys(&["18446744073709551615"]), [AdvisoryKey::Single(-1)]);
        assert_eq!(keys(&["0xffffffffffffffff"]), [AdvisoryKey::Single(-1)]);
        assert_eq!(keys(&["-7", "-42"]), [AdvisoryKey::Pair(-7, -42)]);
        assert_eq!(keys(&["(-7, -42)"]), [AdvisoryKey::Pair(-7, -42)]);
        assert_eq!(keys(&["1", "2", "3"]).len(), 3);
    }

    #[test]
    fn two_numbers_that_are_no_integers_are_two_keys() {
        assert_eq!(keys(&["1", "77433833903597"]).len(), 2);
    }

    #[test]
    fn rows_and_log_lines_keep_their_key_space() {
        assert_eq!(keys(&["4294967291/7/2"]), [AdvisoryKey::Pair(-5, 7)]);
        let line = "LOG: process 20051 still waiting for ExclusiveLock on advisory lock \
                    [16384,0,42,1] after 100.178 ms";
        assert_eq!(keys(&[line]), [AdvisoryKey::Single(42)]);
        let asked = read(&["[pid 7] advisory lock [0,1,2,29749]".to_owned()]);
        let asked = asked.expect("it is a log line")[0];
        assert_eq!((asked.database, asked.tag.objsubid), (Some(0), 29749));
    }

    #[test]
    fn anything_else_is_refused_with_its_text() {
        for wrong in [
            "",
            "x",
            "1/2",
            "1/2/x",
            "99999999999,1",
            "99999999999999999999",
            "[1,2,3]",
        ] {
            let refused = read(&[wrong.to_owned()]).expect_err(wrong);
            assert!(
                refused
                    .to_string()
                    .starts_with(&format!("`{wrong}` is no key"))
            );
        }
    }

    proptest! {
        #[test]
        fn what_a_tag_is_shown_as_is_read_as_that_tag(classid: u32, objid: u32, objsubid: i16) {
            let tag = AdvisoryTag { classid, objid, objsubid };
            prop_assert_eq!(tag.to_string().parse(), Ok(Asked { tag, database: None }));
            prop_assert_eq!(spell(tag).parse(), Ok(Asked { tag, database: None }));
        }
    }
}
