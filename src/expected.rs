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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::History;
    use crate::planted::{Plant, quiet};
    use crate::snapshot::{SessionState, Snapshot};

    /// A holder that has been idle for a minute.
    fn holder() -> Snapshot {
        quiet()
            .session(7, SessionState::Idle)
            .named(7, "leader")
            .holds(7, 42)
    }

    fn keeping(rules: Vec<Rule>) -> Option<Keeping> {
        let snapshot = holder();
        let holds = Hold::all(&snapshot, &History::of(&[]));
        let expected = Expected::of(rules);
        let expectation = expected.matches(&holds[0], Some("orders"), &[]);
        expectation.map(|one| one.keeping)
    }

    fn by_key(key: i64) -> Rule {
        Rule {
            key: Some(AdvisoryKey::Single(key)),
            ..Rule::default()
        }
    }

    #[test]
    fn everything_that_a_rule_says_must_hold() {
        assert_eq!(keeping(vec![by_key(42)]), Some(Keeping::Within));
        assert_eq!(keeping(vec![by_key(43)]), None);
        let named = |application: &str, database: &str| Rule {
            application_name: Some(application.to_owned()),
            database: Some(database.to_owned()),
            ..by_key(42)
        };
        assert_eq!(
            keeping(vec![named("leader", "orders")]),
            Some(Keeping::Within)
        );
        assert_eq!(keeping(vec![named("follower", "orders")]), None);
        assert_eq!(keeping(vec![named("leader", "stock")]), None);
    }

    #[test]
    fn a_hold_that_is_over_its_time_is_expected_no_more() {
        let at_most = |seconds| Rule {
            at_most: Some(Duration::from_secs(seconds)),
            ..by_key(42)
        };
        assert_eq!(keeping(vec![at_most(60)]), Some(Keeping::Within));
        let over = Keeping::OverBy(Duration::from_secs(50));
        assert_eq!(keeping(vec![at_most(10)]), Some(over));
        assert_eq!(
            keeping(vec![at_most(10), at_most(90)]),
            Some(Keeping::Within)
        );
    }

    #[test]
    fn a_name_is_one_of_those_that_the_key_may_have() {
        let named = Rule {
            name: Some("nightly".to_owned()),
            ..Rule::default()
        };
        assert_eq!(keeping(vec![named]), None);
    }
}
