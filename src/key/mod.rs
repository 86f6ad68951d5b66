//! Advisory-lock keys: from the three numbers that `pg_locks` shows back to what the application asked for.
//!
//! Source of the encoding: `lockfuncs.c` (`SET_LOCKTAG_INT64`, `SET_LOCKTAG_INT32`), checked at the
//! extremes of both key spaces on majors 13 to 18.

mod ascii_name;
mod candidate;
pub mod derived;
pub mod hash;
pub mod known;
pub mod names;
pub mod naming;
pub mod pattern;
pub mod scheme;
pub mod spelled;

use std::fmt;

/// The tag of an advisory lock as `pg_locks` shows it: two unsigned halves and the key space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AdvisoryTag {
    pub classid: u32,
    pub objid: u32,
    pub objsubid: i16,
}

/// A key as an application names it. The two key spaces never meet: `1` is not `(0, 1)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AdvisoryKey {
    /// `pg_advisory_lock(bigint)`
    Single(i64),
    /// `pg_advisory_lock(integer, integer)`
    Pair(i32, i32),
}

impl AdvisoryTag {
    /// The key in signed form, or `None` when no SQL function can have made this tag: an extension's lock.
    pub fn key(self) -> Option<AdvisoryKey> {
        match self.objsubid {
            1 => Some(AdvisoryKey::Single(self.number().cast_signed())),
            2 => Some(AdvisoryKey::Pair(
                self.classid.cast_signed(),
                self.objid.cast_signed(),
            )),
            _ => None,
        }
    }

    /// Both halves as one unsigned number.
    pub fn number(self) -> u64 {
        (u64::from(self.classid) << 32) | u64::from(self.objid)
    }
}

impl AdvisoryKey {
    /// The tag under which the server keeps this key.
    pub fn tag(self) -> AdvisoryTag {
        match self {
            Self::Single(key) => {
                let [a, b, c, d, e, f, g, h] = key.to_be_bytes();
                AdvisoryTag {
                    classid: u32::from_be_bytes([a, b, c, d]),
                    objid: u32::from_be_bytes([e, f, g, h]),
                    objsubid: 1,
                }
            }
            Self::Pair(first, second) => AdvisoryTag {
                classid: first.cast_unsigned(),
                objid: second.cast_unsigned(),
                objsubid: 2,
            },
        }
    }

    /// The arguments as they are typed in SQL: `-42` or `-7, -42`.
    pub fn arguments(self) -> String {
        match self {
            Self::Single(key) => key.to_string(),
            Self::Pair(first, second) => format!("{first}, {second}"),
        }
    }

    /// The call by which the **holding session itself** would give one session-level hold back.
    /// No other session can: there it returns `false`.
    pub fn unlock_call(self, sharing: Sharing) -> String {
        let function = match sharing {
            Sharing::Exclusive => "pg_advisory_unlock",
            Sharing::Shared => "pg_advisory_unlock_shared",
        };
        [function, "(", &self.arguments(), ")"].concat()
    }
}

/// Whether a hold excludes everybody or only exclusive takers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    Exclusive,
    Shared,
}

impl fmt::Display for AdvisoryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Single(key) => write!(f, "{key}"),
            Self::Pair(first, second) => write!(f, "({first}, {second})"),
        }
    }
}

impl fmt::Display for AdvisoryTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key() {
            Some(key) => key.fmt(f),
            None => write!(f, "{}/{}/{}", self.classid, self.objid, self.objsubid),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tag(classid: u32, objid: u32, objsubid: i16) -> AdvisoryTag {
        AdvisoryTag {
            classid,
            objid,
            objsubid,
        }
    }

    #[test]
    fn rebuilds_signed_keys_at_the_extremes() {
        let single = |classid, objid| tag(classid, objid, 1).key();
        assert_eq!(single(0, 72_707_369), Some(AdvisoryKey::Single(72_707_369)));
        assert_eq!(single(1, 0), Some(AdvisoryKey::Single(1 << 32)));
        assert_eq!(single(u32::MAX, u32::MAX), Some(AdvisoryKey::Single(-1)));
        assert_eq!(single(1 << 31, 0), Some(AdvisoryKey::Single(i64::MIN)));
        assert_eq!(
            single((1 << 31) - 1, u32::MAX),
            Some(AdvisoryKey::Single(i64::MAX))
        );
        let pair = |classid, objid| tag(classid, objid, 2).key();
        assert_eq!(pair(4_294_967_291, 7), Some(AdvisoryKey::Pair(-5, 7)));
        assert_eq!(
            pair(1 << 31, u32::MAX),
            Some(AdvisoryKey::Pair(i32::MIN, -1))
        );
    }

    #[test]
    fn other_key_spaces_are_no_key() {
        for objsubid in [0, 3, 5, 21, 29749, -1] {
            assert_eq!(tag(0, 102_008, objsubid).key(), None);
        }
        assert_eq!(tag(0, 102_008, 5).to_string(), "0/102008/5");
    }

    #[test]
    fn names_the_call_that_gives_the_hold_back() {
        let key = AdvisoryKey::Pair(-7, -42);
        assert_eq!(
            key.unlock_call(Sharing::Exclusive),
            "pg_advisory_unlock(-7, -42)"
        );
        assert_eq!(
            AdvisoryKey::Single(-5).unlock_call(Sharing::Shared),
            "pg_advisory_unlock_shared(-5)"
        );
    }

    proptest! {
        #[test]
        fn a_key_survives_the_way_through_its_tag(single: i64, first: i32, second: i32) {
            for key in [AdvisoryKey::Single(single), AdvisoryKey::Pair(first, second)] {
                prop_assert_eq!(key.tag().key(), Some(key));
            }
        }

        #[test]
        fn a_tag_has_one_key_only(classid: u32, objid: u32, objsubid in 1..=2_i16) {
            let tag = tag(classid, objid, objsubid);
            prop_assert_eq!(tag.key().map(AdvisoryKey::tag), Some(tag));
        }
    }
}
