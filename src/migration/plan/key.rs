//! One key on its way into the plan: what is known of it, of all others, and what people said.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::{ByTag, DecidedBy, Entry, Standing, Words};
use crate::key::AdvisoryKey;
use crate::key::naming::{Candidate, Namer, Origin};
use crate::key::spelled::spell;
use crate::migration::decision::{self, Case, Others};
use crate::migration::gathering::Gathering;
use crate::migration::usage::{Mode, Subject, Usage};
use crate::migration::{naming, ttl};

/// One key on its way into the plan.
pub(super) struct Key<'a> {
    subject: &'a Subject,
    usage: &'a Usage,
    known: Vec<Candidate>,
    told: Vec<String>,
    ttl: Option<Duration>,
    former: Option<usize>,
}

impl<'a> Key<'a> {
    pub(super) fn of(
        subject: &'a Subject,
        usage: &'a Usage,
        by_tag: &ByTag<'_>,
        namer: &Namer<'_>,
    ) -> Self {
        let known = namer.who_takes(subject.tag, subject.database.as_deref());
        let map = by_tag.told(subject);
        let by_map = map.iter().map(|told| &told.name);
        let by_names = known.iter().filter(|one| one.origin == Origin::Names);
        let mut told: Vec<String> = Vec::new();
        for name in by_map.chain(by_names.map(|one| &one.id)) {
            if !told.contains(name) {
                told.push(name.clone());
            }
        }
        Self {
            subject,
            usage,
            ttl: map.iter().find_map(|told| told.ttl),
            former: by_tag.former(subject),
            known,
            told,
        }
    }

    pub(super) fn entry(
        self,
        others: &Others,
        taken: &mut BTreeSet<String>,
        words: Words<'_>,
        standing: Standing,
    ) -> Entry {
        let judged = decision::judge(&Case {
            subject: self.subject,
            usage: self.usage,
            known: &self.known,
            told: &self.told,
            others,
        });
        let former = self.former.map(|at| &words.former[at]);
        let name = match former {
            Some(former) => former.told.name.clone(),
            None => naming::proposed(self.subject, &self.told, &self.known, taken),
        };
        taken.insert(name.clone());
        let by_person = former.filter(|former| former.decides());
        let proposed_ttl = ttl::proposed(self.usage);
        let told_ttl = match former {
            Some(former) => former.ttl(),
            None => self.ttl,
        };
        Entry {
            subject: self.subject.clone(),
            name,
            ttl: told_ttl.unwrap_or(proposed_ttl),
            proposed_ttl,
            usage: self.usage.clone(),
            databases: others.of(self.subject),
            decision: by_person
                .and_then(|former| former.decision)
                .unwrap_or(judged.decision),
            certainty: match by_person {
                Some(former) => former.certainty,
                None => Some(judged.certainty),
            },
            reason: match by_person {
                Some(former) => former.reason.clone().unwrap_or_default(),
                None => judged.reasons[0].text.clone(),
            },
            decided_by: match by_person {
                Some(_) => DecidedBy::Person,
                None => DecidedBy::Rules,
            },
            judged,
            known: self.known,
            standing,
            former: self.former,
        }
    }

    pub(super) fn standing(
        &self,
        seen: &BTreeMap<&Subject, Usage>,
        gathering: &Gathering,
    ) -> Standing {
        match (seen.contains_key(self.subject), self.former) {
            (false, _) if !gathering.looked_for(self.subject) => Standing::NotLookedFor,
            (false, _) => Standing::NotSeen,
            (true, Some(_)) => Standing::Seen,
            (true, None) => Standing::New,
        }
    }
}

/// What is known of all keys together.
pub(super) fn others(keys: &[Key<'_>]) -> Others {
    let mut others = Others::default();
    for key in keys {
        let database = &key.subject.database;
        let databases = others.databases.entry(key.subject.tag).or_default();
        databases.extend(database.clone());
        for name in &key.told {
            let namesakes = others.namesakes.entry(name.clone()).or_default();
            namesakes.push((database.clone(), spell(key.subject.tag)));
        }
        if let Some(AdvisoryKey::Pair(first, _)) = key.subject.tag.key().filter(|_| is_alone(key)) {
            *others
                .families
                .entry((database.clone(), first))
                .or_default() += 1;
        }
    }
    others
}

/// Whether it is held by one at a time, and nobody waits for it.
fn is_alone(key: &Key<'_>) -> bool {
    let exclusively = key.usage.modes.iter().all(|mode| *mode == Mode::Exclusive);
    key.usage.was_seen() && exclusively && key.usage.most_waiters == 0
}

impl Others {
    fn of(&self, subject: &Subject) -> Vec<String> {
        self.databases
            .get(&subject.tag)
            .cloned()
            .unwrap_or_default()
    }
}
