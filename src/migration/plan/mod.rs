//! The plan: for each key its name, its ttl and the decision; what a person decided stays.

mod key;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, SystemTime};

use super::decision::{Decision, Judgement};
use super::gathering::Gathering;
use super::usage::{Subject, Usage};
use crate::certainty::Certainty;
use crate::key::AdvisoryTag;
use crate::key::names::Names;
use crate::key::naming::{Candidate, Namer, NamingContext, Ranges};
use crate::snapshot::BlindSpot;
use key::{Key, others};

/// Application names that are tried as names of locks.
const MOST_WORDS: usize = 200;

/// What people say of a key in a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub name: String,
    pub tag: AdvisoryTag,
    /// `None`: in whichever it is used.
    pub database: Option<String>,
    pub ttl: Option<Duration>,
}

/// A key of a plan that was made before, and perhaps changed by a person since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Former {
    pub told: Told,
    pub decision: Option<Decision>,
    pub certainty: Option<Certainty>,
    pub reason: Option<String>,
    /// What was seen of it until then.
    pub seen: Usage,
    /// What was written then, which tells whether a person changed it.
    pub proposed: Option<(Decision, String)>,
    pub proposed_ttl: Option<Duration>,
}

/// The plan for all keys, in the order of their databases and keys.
#[derive(Debug)]
pub struct Plan {
    pub entries: Vec<Entry>,
    pub samples: usize,
    /// When the first sample was taken, and when the last.
    pub span: Option<(SystemTime, SystemTime)>,
    pub blind_spots: Vec<BlindSpot>,
    /// What no sample can show, to be looked for elsewhere.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone)]
pub struct Entry {
    pub subject: Subject,
    pub name: String,
    /// What holds: a person's, else what follows from the holds.
    pub ttl: Duration,
    pub proposed_ttl: Duration,
    pub usage: Usage,
    pub known: Vec<Candidate>,
    /// The databases in which this number is used.
    pub databases: Vec<String>,
    pub judged: Judgement,
    /// What holds: a person's decision, else what was judged.
    pub decision: Decision,
    pub certainty: Option<Certainty>,
    pub reason: String,
    pub decided_by: DecidedBy,
    pub standing: Standing,
    /// Its place among the former ones.
    pub former: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecidedBy {
    /// What was seen.
    Rules,
    /// Whoever edited the file.
    Person,
}

/// Where a key is known from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Not in the former plan.
    New,
    /// In the former plan, and seen.
    Seen,
    /// In the former plan or a map, and not seen in this run.
    NotSeen,
    /// In the former plan or a map, and of a database that was not looked at.
    NotLookedFor,
}

impl Former {
    /// Whether a person decided, or changed what was written.
    fn decides(&self) -> bool {
        let Some(decision) = self.decision else {
            return false;
        };
        let reason = self.reason.clone().unwrap_or_default();
        self.proposed != Some((decision, reason))
    }

    /// The ttl that a person wrote, or changed.
    fn ttl(&self) -> Option<Duration> {
        self.told.ttl.filter(|_| self.told.ttl != self.proposed_ttl)
    }
}

impl Told {
    fn is_of(&self, subject: &Subject) -> bool {
        let of_database = self.database.is_none() || self.database == subject.database;
        self.tag == subject.tag && of_database
    }

    fn subject(&self) -> Subject {
        Subject {
            database: self.database.clone(),
            tag: self.tag,
        }
    }
}

/// What people said, before anything is looked at.
#[derive(Debug, Clone, Copy)]
pub struct Words<'a> {
    pub names: &'a Names,
    pub map: &'a [Told],
    pub former: &'a [Former],
}

impl Plan {
    pub fn of(gathering: &Gathering, words: Words<'_>) -> Self {
        let seen: BTreeMap<&Subject, Usage> = gathering.usages().collect();
        let usages = with_words(&seen, words);
        let namer = Namer::new(context(&usages), words.names);
        let by_tag = ByTag::of(words);
        let keys: Vec<Key<'_>> = usages
            .iter()
            .map(|(subject, usage)| Key::of(subject, usage, &by_tag, &namer))
            .collect();
        let others = others(&keys);
        let mut taken: BTreeSet<String> = words
            .former
            .iter()
            .map(|one| one.told.name.clone())
            .collect();
        let entries = keys.into_iter().map(|key| {
            let standing = key.standing(&seen, gathering);
            key.entry(&others, &mut taken, words, standing)
        });
        Self {
            entries: entries.collect(),
            samples: gathering.samples(),
            span: gathering.span(),
            blind_spots: gathering.blind_spots().cloned().collect(),
            notes: notes(gathering),
        }
    }

    /// Those of one decision.
    pub fn decided(&self, decision: Decision) -> impl Iterator<Item = &Entry> {
        let entries = self.entries.iter();
        entries.filter(move |entry| entry.decision == decision)
    }
}

/// The words, found by their keys: a server may have tens of thousands.
struct ByTag<'a> {
    map: HashMap<AdvisoryTag, Vec<&'a Told>>,
    /// With their places.
    former: HashMap<AdvisoryTag, Vec<(usize, &'a Told)>>,
}

impl<'a> ByTag<'a> {
    fn of(words: Words<'a>) -> Self {
        let mut map: HashMap<AdvisoryTag, Vec<&Told>> = HashMap::new();
        for told in words.map {
            map.entry(told.tag).or_default().push(told);
        }
        let mut former: HashMap<AdvisoryTag, Vec<(usize, &Told)>> = HashMap::new();
        for (at, one) in words.former.iter().enumerate() {
            let same = former.entry(one.told.tag).or_default();
            same.push((at, &one.told));
        }
        Self { map, former }
    }

    /// What a map says of a key.
    fn told(&self, subject: &Subject) -> Vec<&'a Told> {
        let same = self.map.get(&subject.tag).into_iter().flatten();
        same.filter(|told| told.is_of(subject)).copied().collect()
    }

    /// Its place among the former ones.
    fn former(&self, subject: &Subject) -> Option<usize> {
        let same = self.former.get(&subject.tag)?;
        let mut its = same.iter().filter(|(_, told)| told.is_of(subject));
        its.next().map(|(at, _)| *at)
    }
}

/// What was seen, and beside it the keys that people wrote down, with what was seen of them before.
fn with_words(seen: &BTreeMap<&Subject, Usage>, words: Words<'_>) -> BTreeMap<Subject, Usage> {
    let mut usages: BTreeMap<Subject, Usage> = seen
        .iter()
        .map(|(subject, usage)| ((*subject).clone(), usage.clone()))
        .collect();
    let mut by_tag: HashMap<AdvisoryTag, Vec<Subject>> = HashMap::new();
    for subject in usages.keys() {
        let same = by_tag.entry(subject.tag).or_default();
        same.push(subject.clone());
    }
    let formers = words.former.iter().map(|former| &former.told);
    for told in formers.chain(words.map) {
        let same = by_tag.entry(told.tag).or_default();
        if !same.iter().any(|subject| told.is_of(subject)) {
            same.push(told.subject());
            usages.insert(told.subject(), Usage::default());
        }
    }
    for former in words.former {
        let same = &by_tag[&former.told.tag];
        remember(&mut usages, former, same);
    }
    usages
}

/// A table without a database stands for the key in all of them, and holds what was seen in any.
fn remember(usages: &mut BTreeMap<Subject, Usage>, former: &Former, same: &[Subject]) {
    let its = || same.iter().filter(|subject| former.told.is_of(subject));
    let all = its()
        .filter_map(|subject| usages.get(subject).cloned())
        .fold(former.seen.clone(), Usage::united);
    for subject in its() {
        usages.insert(subject.clone(), all.clone());
    }
}

fn context(usages: &BTreeMap<Subject, Usage>) -> NamingContext {
    let databases: BTreeSet<&String> = usages
        .keys()
        .filter_map(|subject| subject.database.as_ref())
        .collect();
    let databases: Vec<String> = databases.into_iter().cloned().collect();
    let words: BTreeSet<&String> = usages
        .values()
        .flat_map(|usage| usage.applications.iter().chain(&usage.asked_by))
        .collect();
    NamingContext {
        schemas: databases.clone(),
        databases,
        words: words.into_iter().take(MOST_WORDS).cloned().collect(),
        ranges: Ranges::LeftOut,
    }
}

fn notes(gathering: &Gathering) -> Vec<String> {
    let mut notes = vec![
        "whether a session takes a key again that it holds: pg_locks shows one row either way, and the \
         second take of a lease waits for the first, so look for it in the code"
            .to_owned(),
    ];
    match gathering.samples() {
        0 => (),
        1 => notes.push(
            "locks that were not held at that one moment: --for 10m looks for ten minutes"
                .to_owned(),
        ),
        _ => notes.push("locks that came and went between two samples".to_owned()),
    }
    if gathering.came_through_pooler() {
        notes.push(
            "which clients stand behind the pooler that we came through: in transaction mode no \
             session-level lock of theirs excludes anybody for sure, and none can keep old code and \
             new code apart"
                .to_owned(),
        );
    }
    notes
}
