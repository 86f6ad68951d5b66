//! Holders that are meant to hold: a leader, a scheduler. What the user told is compared with what is.

use std::time::Duration;

use crate::hold::Hold;
use crate::key::AdvisoryKey;
use crate::key::naming::Candidate;

/// All that is expected, in the order in which it was told.
#[derive(Debug, Clone, Default)]
pub struct Expected {
    rules: Vec<Rule>,
}

/// One kind of hold that is meant. What is `None` may be anything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rule {
    pub key: Option<AdvisoryKey>,
    /// A name of the user's, or a tool's id in the registry.
    pub name: Option<String>,
    pub application_name: Option<String>,
    pub database: Option<String>,
    /// A hold that is longer is expected no more.
    pub at_most: Option<Duration>,
    pub because: Option<String>,
    /// Where it was told: `names.toml, line 12`.
    pub place: String,
}

/// A hold that somebody expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expectation<'a> {
    pub rule: &'a Rule,
    pub keeping: Keeping,
}

/// Whether a hold keeps to its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeping {
    Within,
    /// It has been held for longer, at least by this much.
    OverBy(Duration),
}

impl Expected {
    pub fn of(rules: Vec<Rule>) -> Self {
        Self { rules }
    }

    /// The first rule that means this hold; one that the hold keeps to goes before one that it does not.
    /// `known` is who may have taken the lock.
    pub fn matches(
        &self,
        hold: &Hold<'_>,
        database: Option<&str>,
        known: &[Candidate],
    ) -> Option<Expectation<'_>> {
        let meant = self
            .rules
            .iter()
            .filter(|rule| rule.means(hold, database, known));
        let mut expectations = meant.map(|rule| Expectation {
            rule,
            keeping: rule.keeping(hold),
        });
        let first = expectations.next()?;
        let better = expectations.find(|one| one.keeping == Keeping::Within);
        match first.keeping {
            Keeping::Within => Some(first),
            Keeping::OverBy(_) => Some(better.unwrap_or(first)),
        }
    }
}

impl Rule {
    fn means(&self, hold: &Hold<'_>, database: Option<&str>, known: &[Candidate]) -> bool {
        let session = hold.holder.session();
        let application = session.and_then(|session| session.application_name.as_deref());
        let is = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        let called = |name: &String| known.iter().any(|candidate| candidate.id == *name);
        self.key.is_none_or(|key| hold.tag.key() == Some(key))
            && self.name.as_ref().is_none_or(called)
            && is(&self.application_name, application)
            && is(&self.database, database)
    }

    /// By the lower bound of the hold, the certain one.
    fn keeping(&self, hold: &Hold<'_>) -> Keeping {
        let over = self.at_most.zip(hold.at_least);
        match over.and_then(|(most, least)| least.checked_sub(most)) {
            Some(over) if !over.is_zero() => Keeping::OverBy(over),
            _ => Keeping::Within,
        }
    }
}
