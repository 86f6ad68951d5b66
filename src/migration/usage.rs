//! What was seen of one key: who used it, how, how long. Two lots of it unite into one, the same
//! whichever comes first and however often, so that a plan can be made anew from an older one.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use crate::key::AdvisoryTag;
use crate::snapshot::LockMode;

/// A key in its database: the same number in two databases is two locks.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Subject {
    /// `None`: an extension's server-wide lock, or nobody said.
    pub database: Option<String>,
    pub tag: AdvisoryTag,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    /// By `application_name`, those who held it.
    pub applications: BTreeSet<String>,
    pub roles: BTreeSet<String>,
    /// Those who asked for it, waiting or not.
    pub asked_by: BTreeSet<String>,
    /// Held or asked for in.
    pub modes: BTreeSet<Mode>,
    /// Of the holds.
    pub scopes: BTreeSet<ScopeSeen>,
    /// Which functions were asked for it by sessions that waited.
    pub calls: BTreeSet<Call>,
    /// The longest hold, at least.
    pub held_at_least: Option<Duration>,
    /// The longest hold, at most; unknown where one was not seen to end.
    pub held_at_most: Option<Upper>,
    /// The longest that its transaction was seen to do nothing while it held.
    pub idle_in_transaction: Option<Duration>,
    /// At once.
    pub most_waiters: usize,
    /// Names that one backend has shown while it held.
    pub names_of_one_backend: BTreeSet<String>,
    /// A pooler lent us the backend that holds it.
    pub lent_to_us: bool,
    /// In how many samples of the latest run that saw it.
    pub seen_in: usize,
    pub samples: usize,
    pub last_seen: Option<SystemTime>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    Exclusive,
    Shared,
    /// A mode that only C code takes, by the catalog's word.
    Other(String),
}

/// When a hold ends by itself, as far as it was proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ScopeSeen {
    Session,
    Transaction,
    Unknown,
}

/// Which kind of function a statement asks for the lock with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Call {
    Session,
    Transaction,
}

/// An upper bound; nothing known is above everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Upper {
    Of(Duration),
    Unknown,
}

impl Usage {
    /// Whether it was held or asked for, in this run or one before.
    pub fn was_seen(&self) -> bool {
        self.last_seen.is_some()
    }

    /// What both saw. The counts of samples are those of the later one.
    #[must_use]
    pub fn united(mut self, other: Self) -> Self {
        let later = match self.last_seen >= other.last_seen {
            true => (self.seen_in, self.samples, self.last_seen),
            false => (other.seen_in, other.samples, other.last_seen),
        };
        (self.seen_in, self.samples, self.last_seen) = later;
        self.applications.extend(other.applications);
        self.roles.extend(other.roles);
        self.asked_by.extend(other.asked_by);
        self.modes.extend(other.modes);
        self.scopes.extend(other.scopes);
        self.calls.extend(other.calls);
        self.names_of_one_backend.extend(other.names_of_one_backend);
        self.held_at_least = self.held_at_least.max(other.held_at_least);
        self.held_at_most = self.held_at_most.max(other.held_at_most);
        self.idle_in_transaction = self.idle_in_transaction.max(other.idle_in_transaction);
        self.most_waiters = self.most_waiters.max(other.most_waiters);
        self.lent_to_us |= other.lent_to_us;
        self
    }

    pub fn is_shared(&self) -> bool {
        self.modes.contains(&Mode::Shared)
    }

    /// Whether some hold was of this scope.
    pub fn has_scope(&self, scope: ScopeSeen) -> bool {
        self.scopes.contains(&scope)
    }
}

impl Mode {
    pub fn of(mode: &LockMode) -> Self {
        match mode {
            LockMode::Exclusive => Self::Exclusive,
            LockMode::Share => Self::Shared,
            other => Self::Other(other.as_str().to_owned()),
        }
    }

    /// Our word for it, in files and JSON; the catalog's where SQL has none.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Exclusive => "exclusive",
            Self::Shared => "shared",
            Self::Other(word) => word,
        }
    }

    pub fn from_word(word: &str) -> Self {
        match word {
            "exclusive" => Self::Exclusive,
            "shared" => Self::Shared,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl ScopeSeen {
    pub const WORDS: [(&'static str, Self); 3] = [
        ("session", Self::Session),
        ("transaction", Self::Transaction),
        ("unknown", Self::Unknown),
    ];

    pub fn as_str(self) -> &'static str {
        word(&Self::WORDS, self)
    }
}

impl Call {
    pub const WORDS: [(&'static str, Self); 2] = [
        ("session", Self::Session),
        ("transaction", Self::Transaction),
    ];

    pub fn as_str(self) -> &'static str {
        word(&Self::WORDS, self)
    }
}

fn word<T: PartialEq>(words: &[(&'static str, T)], value: T) -> &'static str {
    let mut words = words.iter();
    let found = words.find(|(_, meaning)| *meaning == value);
    found.expect("every value has its word").0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(at: u64, application: &str, least: u64) -> Usage {
        Usage {
            applications: BTreeSet::from([application.to_owned()]),
            held_at_least: Some(Duration::from_secs(least)),
            held_at_most: Some(Upper::Of(Duration::from_secs(least + 1))),
            seen_in: 1,
            samples: usize::try_from(at).expect("small"),
            last_seen: Some(SystemTime::UNIX_EPOCH + Duration::from_secs(at)),
            ..Usage::default()
        }
    }

    #[test]
    fn two_lots_unite_to_the_same_in_either_order_and_however_often() {
        let (one, other) = (seen(3, "api", 9), seen(5, "worker", 2));
        let both = one.clone().united(other.clone());
        assert_eq!(both, other.clone().united(one.clone()));
        assert_eq!(both, both.clone().united(other).united(one));
        assert_eq!(both.applications.len(), 2);
        assert_eq!(both.held_at_least, Some(Duration::from_secs(9)));
        assert_eq!(both.samples, 5, "the counts are the later run's");
    }

    #[test]
    fn a_hold_without_an_upper_bound_leaves_none() {
        let unbounded = Usage {
            held_at_most: Some(Upper::Unknown),
            ..Usage::default()
        };
        let both = seen(3, "api", 9).united(unbounded);
        assert_eq!(both.held_at_most, Some(Upper::Unknown));
    }
}
