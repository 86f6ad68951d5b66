//! What is to become of a key: one file a rule. The first that decides does; what the others remark is
//! said beside it.

mod brief_hold;
mod extension_lock;
mod known_tool;
mod long_transaction;
mod many_databases;
mod maybe_a_tool;
mod never_seen;
mod one_of_many;
mod session_lock;
mod shared_backend;
mod shared_mode;
mod shared_name;
mod transaction_lock;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::usage::{Subject, Usage};
use crate::certainty::Certainty;
use crate::key::AdvisoryKey;
use crate::key::naming::Candidate;

/// What is to become of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    /// It can't be moved as it is used: somebody must look at it.
    Refuse,
    /// A lease row takes its place.
    Lease,
    /// Rows that are claimed by `FOR UPDATE SKIP LOCKED` fit better.
    SkipLocked,
    /// It ends with its transaction, and so does the work.
    TransactionLockIsFine,
    /// A tool's own lock.
    Keep,
}

impl Decision {
    /// The words of the file, in the order of the screen.
    pub const WORDS: [(&'static str, Self); 5] = [
        ("refuse", Self::Refuse),
        ("lease", Self::Lease),
        ("skip-locked", Self::SkipLocked),
        ("transaction-lock-is-fine", Self::TransactionLockIsFine),
        ("keep", Self::Keep),
    ];

    pub fn as_str(self) -> &'static str {
        let mut words = Self::WORDS.iter();
        let found = words.find(|(_, meaning)| *meaning == self);
        found.expect("every decision has its word").0
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// The decision, what speaks for it, and what to know beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    pub decision: Decision,
    pub certainty: Certainty,
    /// At least one, the deciding first.
    pub reasons: Vec<Reason>,
    /// What to know, whatever is decided.
    pub remarks: Vec<Reason>,
}

/// A sentence, and how sure it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    pub text: String,
    pub certainty: Certainty,
}

/// One key, and what a rule may draw on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case<'a> {
    pub subject: &'a Subject,
    pub usage: &'a Usage,
    /// Who may have taken it, the surest first.
    pub known: &'a [Candidate],
    /// The names that people gave it.
    pub told: &'a [String],
    pub others: &'a Others,
}

/// What is known of all keys together.
#[derive(Debug, Default)]
pub(super) struct Others {
    /// The databases in which the same number is used.
    pub databases: BTreeMap<crate::key::AdvisoryTag, Vec<String>>,
    /// The keys that people gave one name, each with its database.
    pub namesakes: BTreeMap<String, Vec<(Option<String>, String)>>,
    /// How many pairs with this first half are used alike, in one database.
    pub families: BTreeMap<(Option<String>, i32), usize>,
}

impl Others {
    /// The keys of this name that can meet in one database.
    pub(super) fn keys_of(&self, name: &str, database: Option<&String>) -> Vec<String> {
        let keys = self.namesakes.get(name).into_iter().flatten();
        let meets =
            |other: Option<&String>| other.is_none() || database.is_none() || other == database;
        let keys: BTreeSet<&String> = keys
            .filter(|(other, _)| meets(other.as_ref()))
            .map(|(_, key)| key)
            .collect();
        keys.into_iter().cloned().collect()
    }

    pub(super) fn family(&self, subject: &Subject) -> usize {
        let Some(AdvisoryKey::Pair(first, _)) = subject.tag.key() else {
            return 0;
        };
        let family = (subject.database.clone(), first);
        self.families.get(&family).copied().unwrap_or_default()
    }
}

/// What a rule says of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ruling {
    /// `None`: a remark.
    pub decision: Option<Decision>,
    pub certainty: Certainty,
    pub because: String,
}

impl Ruling {
    fn decide(decision: Decision, certainty: Certainty, because: impl Into<String>) -> Self {
        Self {
            decision: Some(decision),
            certainty,
            because: because.into(),
        }
    }

    fn reason(&self) -> Reason {
        Reason {
            text: self.because.clone(),
            certainty: self.certainty,
        }
    }

    fn remark(certainty: Certainty, because: impl Into<String>) -> Self {
        Self {
            decision: None,
            certainty,
            because: because.into(),
        }
    }
}

type Rule = fn(&Case<'_>) -> Option<Ruling>;

/// In the order in which they decide: what can't be moved, what need not, what fits better, a lease.
const RULES: [Rule; 13] = [
    extension_lock::judge,
    shared_name::judge,
    known_tool::judge,
    many_databases::judge,
    shared_mode::judge,
    transaction_lock::judge,
    one_of_many::judge,
    never_seen::judge,
    session_lock::judge,
    shared_backend::judge,
    long_transaction::judge,
    brief_hold::judge,
    maybe_a_tool::judge,
];

/// What is to become of this key.
pub(super) fn judge(case: &Case<'_>) -> Judgement {
    let rulings: Vec<Ruling> = RULES.iter().filter_map(|rule| rule(case)).collect();
    let deciding = rulings.iter().find(|one| one.decision.is_some());
    let deciding = deciding.expect("of what was seen session_lock decides, of the rest never_seen");
    let decision = deciding.decision.expect("it was looked for");
    let of = |decision: Option<Decision>| {
        let its = rulings.iter().filter(move |one| one.decision == decision);
        its.map(Ruling::reason).collect()
    };
    Judgement {
        decision,
        certainty: deciding.certainty,
        reasons: of(Some(decision)),
        remarks: of(None),
    }
}

#[cfg(test)]
mod planted;
#[cfg(test)]
mod tests;
