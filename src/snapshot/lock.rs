//! One row of `pg_locks`, in types that cannot be misread.

use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

use crate::key::{AdvisoryTag, Sharing};

/// A lock that is held or waited for.
#[derive(Debug, Clone, PartialEq)]
pub struct Lock {
    pub target: Target,
    pub mode: LockMode,
    pub granted: bool,
    pub owner: Owner,
    pub virtualtransaction: VirtualTransaction,
    /// When the wait began (14 and later); `NULL` for an instant even there.
    pub waitstart: Option<SystemTime>,
}

/// An advisory lock's identity: the same key in two databases is two locks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LockId {
    pub database: u32,
    pub tag: AdvisoryTag,
}

/// What is locked. An open vocabulary: a lock type of tomorrow is a value, not an error.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// `database` is 0 for an extension's server-wide lock.
    Advisory {
        database: u32,
        tag: AdvisoryTag,
    },
    Other(Box<OtherTarget>),
}

/// Any other row's identity, column by column as the catalog names them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct OtherTarget {
    pub locktype: String,
    pub database: Option<u32>,
    pub relation: Option<u32>,
    pub page: Option<i32>,
    pub tuple: Option<i16>,
    pub virtualxid: Option<String>,
    pub transactionid: Option<u32>,
    pub classid: Option<u32>,
    pub objid: Option<u32>,
    pub objsubid: Option<i16>,
}

impl Target {
    pub fn advisory(&self) -> Option<(u32, AdvisoryTag)> {
        match self {
            Self::Advisory { database, tag } => Some((*database, *tag)),
            Self::Other(_) => None,
        }
    }

    /// The database that the lock belongs to; 0 or `None` where it is the whole server's.
    pub fn database(&self) -> Option<u32> {
        match self {
            Self::Advisory { database, .. } => Some(*database),
            Self::Other(other) => other.database,
        }
    }

    pub fn transactionid(&self) -> Option<u32> {
        match self {
            Self::Advisory { .. } => None,
            Self::Other(other) => other.transactionid,
        }
    }

    /// The catalog's word: `advisory`, `relation`, `transactionid`, …
    pub fn locktype(&self) -> &str {
        match self {
            Self::Advisory { .. } => "advisory",
            Self::Other(other) => &other.locktype,
        }
    }
}

/// Who holds or waits: a session, or a transaction that outlived its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Owner {
    Session(i32),
    /// `pid` is `NULL`: only a prepared transaction has no backend.
    Prepared(VirtualTransaction),
}

impl Owner {
    pub fn pid(self) -> Option<i32> {
        match self {
            Self::Session(pid) => Some(pid),
            Self::Prepared(_) => None,
        }
    }
}

/// `virtualtransaction`: the backend's slot and its transaction's number there; number 0 means that
/// the owner is in no transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VirtualTransaction {
    pub backend: i32,
    pub local: u32,
}

impl VirtualTransaction {
    pub fn is_outside_transaction(self) -> bool {
        self.local == 0
    }
}

impl FromStr for VirtualTransaction {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = text.split_once('/').and_then(|(backend, local)| {
            Some(Self {
                backend: backend.parse().ok()?,
                local: local.parse().ok()?,
            })
        });
        parsed.ok_or_else(|| anyhow::anyhow!("`{text}` is not a virtual transaction"))
    }
}

impl fmt::Display for VirtualTransaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.backend, self.local)
    }
}

/// The eight table-level modes. SQL takes advisory locks in two of them; C code may use any.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum LockMode {
    AccessShare,
    RowShare,
    RowExclusive,
    ShareUpdateExclusive,
    Share,
    ShareRowExclusive,
    Exclusive,
    AccessExclusive,
    /// `SIReadLock` and whatever comes: conflicts with nothing that we know of.
    Other(String),
}

const MODES: [(LockMode, &str); 8] = [
    (LockMode::AccessShare, "AccessShareLock"),
    (LockMode::RowShare, "RowShareLock"),
    (LockMode::RowExclusive, "RowExclusiveLock"),
    (LockMode::ShareUpdateExclusive, "ShareUpdateExclusiveLock"),
    (LockMode::Share, "ShareLock"),
    (LockMode::ShareRowExclusive, "ShareRowExclusiveLock"),
    (LockMode::Exclusive, "ExclusiveLock"),
    (LockMode::AccessExclusive, "AccessExclusiveLock"),
];

/// Bit n of entry m: mode m conflicts with mode n, in the order of [`MODES`].
/// Source: the conflict table in the documentation, "Explicit Locking", table-level locks.
const CONFLICTS: [u8; 8] = [
    0b1000_0000,
    0b1100_0000,
    0b1111_0000,
    0b1111_1000,
    0b1110_1100,
    0b1111_1100,
    0b1111_1110,
    0b1111_1111,
];

impl LockMode {
    pub fn from_catalog(name: &str) -> Self {
        MODES
            .iter()
            .find(|(_, known)| *known == name)
            .map_or_else(|| Self::Other(name.to_owned()), |(mode, _)| mode.clone())
    }

    /// The catalog's word: `ExclusiveLock`.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Other(name) => name,
            known => MODES[known.index().expect("every known mode is listed")].1,
        }
    }

    pub fn conflicts_with(&self, other: &Self) -> bool {
        match (self.index(), other.index()) {
            (Some(mine), Some(theirs)) => CONFLICTS[mine] & (1 << theirs) != 0,
            _ => false,
        }
    }

    /// How SQL's advisory functions would have taken it; `None` for a mode that only C code uses.
    pub fn sharing(&self) -> Option<Sharing> {
        match self {
            Self::Exclusive => Some(Sharing::Exclusive),
            Self::Share => Some(Sharing::Shared),
            _ => None,
        }
    }

    /// The place in [`MODES`].
    fn index(&self) -> Option<usize> {
        Some(match self {
            Self::AccessShare => 0,
            Self::RowShare => 1,
            Self::RowExclusive => 2,
            Self::ShareUpdateExclusive => 3,
            Self::Share => 4,
            Self::ShareRowExclusive => 5,
            Self::Exclusive => 6,
            Self::AccessExclusive => 7,
            Self::Other(_) => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflicts_are_symmetric_and_follow_the_documented_table() {
        for (mine, _) in &MODES {
            for (theirs, _) in &MODES {
                assert_eq!(mine.conflicts_with(theirs), theirs.conflicts_with(mine));
            }
        }
        let conflicting: usize = CONFLICTS.iter().map(|row| row.count_ones() as usize).sum();
        assert_eq!(conflicting, 38);
        assert!(!LockMode::Share.conflicts_with(&LockMode::Share));
        assert!(LockMode::Share.conflicts_with(&LockMode::Exclusive));
        assert!(LockMode::AccessExclusive.conflicts_with(&LockMode::AccessShare));
        assert!(LockMode::ShareUpdateExclusive.conflicts_with(&LockMode::ShareUpdateExclusive));
        assert!(!LockMode::RowExclusive.conflicts_with(&LockMode::RowExclusive));
    }

    #[test]
    fn an_unknown_mode_keeps_its_name() {
        let mode = LockMode::from_catalog("SIReadLock");
        assert_eq!(mode.as_str(), "SIReadLock");
        assert!(!mode.conflicts_with(&LockMode::AccessExclusive));
        for (mode, name) in &MODES {
            assert_eq!(LockMode::from_catalog(name), *mode);
            assert_eq!(mode.as_str(), *name);
        }
    }

    #[test]
    fn reads_virtual_transactions_before_and_after_a_restart() {
        let parse = |text: &str| text.parse::<VirtualTransaction>().ok();
        assert_eq!(
            parse("4/0"),
            Some(VirtualTransaction {
                backend: 4,
                local: 0
            })
        );
        assert_eq!(
            parse("-1/736"),
            Some(VirtualTransaction {
                backend: -1,
                local: 736
            })
        );
        assert_eq!(parse("4"), None);
        assert!(parse("4/0").is_some_and(VirtualTransaction::is_outside_transaction));
    }
}
