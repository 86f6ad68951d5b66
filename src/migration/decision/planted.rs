//! Keys planted by the rules' tests, in sentences.

pub(super) use super::super::usage::Usage;
use super::super::usage::{Mode, ScopeSeen};
use super::{Case, Judgement, Others, Rule, Ruling, Subject};
use crate::certainty::Certainty;
use crate::key::naming::{Candidate, NamingContext, Origin, who_takes};
use crate::key::{AdvisoryKey, AdvisoryTag};
use crate::planted::now;

pub(super) struct Planted {
    subject: Subject,
    usage: Usage,
    known: Vec<Candidate>,
    told: Vec<String>,
    others: Others,
}

impl Planted {
    pub(super) fn tag(tag: AdvisoryTag) -> Self {
        Self {
            subject: Subject {
                database: Some("orders".to_owned()),
                tag,
            },
            usage: Usage::default(),
            known: Vec::new(),
            told: Vec::new(),
            others: Others::default(),
        }
    }

    pub(super) fn key(key: i64) -> Self {
        Self::tag(AdvisoryKey::Single(key).tag())
    }

    pub(super) fn pair(first: i32, second: i32) -> Self {
        Self::tag(AdvisoryKey::Pair(first, second).tag())
    }

    pub(super) fn used(self, usage: Usage) -> Self {
        Self { usage, ..self }
    }

    /// One session, outside any transaction.
    pub(super) fn idle_holder(mut self) -> Self {
        self.usage.scopes = [ScopeSeen::Session].into();
        self.usage.last_seen = Some(now());
        self.modes(&[Mode::Exclusive])
    }

    pub(super) fn modes(mut self, modes: &[Mode]) -> Self {
        self.usage.modes = modes.iter().cloned().collect();
        self
    }

    pub(super) fn told(mut self, names: &[&str]) -> Self {
        self.told = names.iter().map(|&name| name.to_owned()).collect();
        self
    }

    /// Who takes it, by the registry.
    pub(super) fn known_by_itself(mut self) -> Self {
        self.known = who_takes(self.subject.tag, Some("orders"), &NamingContext::default());
        self
    }

    pub(super) fn known_as(mut self, name: &str) -> Self {
        let basis = "names.toml, line 1".to_owned();
        let candidate = Candidate::of_name(Origin::Names, name, Certainty::Certain, basis);
        self.known = vec![candidate];
        self
    }

    pub(super) fn in_databases(mut self, names: &[&str]) -> Self {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        self.others.databases.insert(self.subject.tag, names);
        self
    }

    pub(super) fn namesakes(mut self, name: &str, keys: &[&str]) -> Self {
        let keys = keys.iter().map(|&key| (None, key.to_owned())).collect();
        self.others.namesakes.insert(name.to_owned(), keys);
        self
    }

    pub(super) fn family(mut self, size: usize) -> Self {
        let family = (self.subject.database.clone(), 7);
        self.others.families.insert(family, size);
        self
    }

    fn case(&self) -> Case<'_> {
        Case {
            subject: &self.subject,
            usage: &self.usage,
            known: &self.known,
            told: &self.told,
            others: &self.others,
        }
    }

    pub(super) fn ruled_by(&self, rule: Rule) -> Option<Ruling> {
        rule(&self.case())
    }

    pub(super) fn judged(&self) -> Judgement {
        super::judge(&self.case())
    }
}
