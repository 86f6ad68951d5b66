//! Owns the keys of the tests and their SQL: nothing of the crate under test is used for it.

use std::fmt;

/// One advisory key, of one of the two spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Single(i64),
    Pair(i32, i32),
}

impl Key {
    pub fn single(key: i64) -> Self {
        Self::Single(key)
    }

    pub fn pair(first: i32, second: i32) -> Self {
        Self::Pair(first, second)
    }

    /// The condition on `pg_locks` that picks this key's rows.
    pub fn in_pg_locks(self) -> String {
        let (class, object, subject) = match self {
            Self::Single(key) => ((key as u64 >> 32) as u32, key as u64 as u32, 1),
            Self::Pair(first, second) => (first as u32, second as u32, 2),
        };
        format!(
            "locktype = 'advisory' AND classid = {class} AND objid = {object} AND objsubid = {subject}"
        )
    }
}

/// As the arguments of an advisory-lock function.
impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Single(key) => write!(formatter, "'{key}'::bigint"),
            Self::Pair(first, second) => write!(formatter, "'{first}'::int, '{second}'::int"),
        }
    }
}

impl From<i64> for Key {
    fn from(key: i64) -> Self {
        Self::Single(key)
    }
}

impl From<(i32, i32)> for Key {
    fn from((first, second): (i32, i32)) -> Self {
        Self::Pair(first, second)
    }
}
