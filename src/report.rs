//! A judged picture, ready to be shown: the verdict, the figures behind it, the findings.

use std::time::{Duration, SystemTime};

use crate::finding::{self, Finding, Rule, Severity};
use crate::hold::Doing;
use crate::picture::{Expectations, Picture};
use crate::pool::Starvation;
use crate::snapshot::{BlindSpot, Consoles, Owner, Pooler, Refusal, Snapshot, Source};
use crate::words;

/// What a scan has to say.
#[derive(Debug)]
pub struct Report<'a> {
    pub source: &'a Source,
    pub outcome: Outcome<'a>,
    pub findings: Vec<Finding>,
    pub summary: Summary,
}

#[derive(Debug)]
pub enum Outcome<'a> {
    Seen(Box<Picture<'a>>),
    /// The server had no room for us. `at` is by our own clock: we saw no other.
    Refused {
        refusal: &'a Refusal,
        at: SystemTime,
        /// What the poolers' consoles knew all the same.
        consoles: &'a Consoles,
    },
}

/// The verdict and the figures that it rests on; `None` where nothing could be counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// One sentence.
    pub verdict: String,
    /// The worst finding's severity.
    pub severity: Option<Severity>,
    pub figures: Option<Figures>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figures {
    /// Granted advisory locks.
    pub locks: usize,
    /// Sessions and prepared transactions that hold one.
    pub holders: usize,
    /// Holders that are idle outside a transaction, or likely so.
    pub idle_holders: usize,
    pub idle_in_transaction_holders: usize,
    pub prepared_holders: usize,
    /// Sessions that wait for an advisory lock.
    pub waiters: usize,
    pub longest_wait: Option<Duration>,
    /// Pools with no connection left.
    pub starved_pools: usize,
    /// Pools that look so, their size unknown.
    pub suspected_pools: usize,
}

impl<'a> Report<'a> {
    /// Judges the last of these samples, oldest first, in the light of those before; `None` without any.
    pub fn of_samples(
        source: &'a Source,
        samples: &'a [Snapshot],
        expectations: &'a Expectations,
        chosen: impl Fn(&Rule) -> bool,
    ) -> Option<Self> {
        let (snapshot, earlier) = samples.split_last()?;
        let picture = Picture::of(earlier, snapshot, expectations);
        Some(Self::of_picture(source, picture, chosen))
    }

    fn of_picture(
        source: &'a Source,
        picture: Picture<'a>,
        chosen: impl Fn(&Rule) -> bool,
    ) -> Self {
        let findings = finding::judge(&picture, &chosen);
        let others = finding::judge(&picture, |rule| !chosen(rule));
        let figures = figures(&picture);
        let blind_spots = &picture.snapshot.blind_spots;
        Self {
            source,
            summary: Summary {
                verdict: [
                    Some(verdict(&figures, &findings, blind_spots)),
                    left_out(&findings, &others),
                ]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join("; "),
                severity: worst(&findings),
                figures: Some(figures),
            },
            findings,
            outcome: Outcome::Seen(Box::new(picture)),
        }
    }

    /// What a refusal for want of room says by itself.
    pub fn of_refusal(
        source: &'a Source,
        refusal: &'a Refusal,
        at: SystemTime,
        consoles: &'a Consoles,
    ) -> Self {
        let findings = finding::judge_refusal(refusal, &consoles.answered);
        Self {
            source,
            summary: Summary {
                verdict: findings[0].title.clone(),
                severity: worst(&findings),
                figures: None,
            },
            findings,
            outcome: Outcome::Refused {
                refusal,
                at,
                consoles,
            },
        }
    }

    pub fn blind_spots(&self) -> Vec<BlindSpot> {
        match &self.outcome {
            Outcome::Seen(picture) => picture.snapshot.blind_spots.clone(),
            Outcome::Refused {
                refusal, consoles, ..
            } => {
                let everything = BlindSpot::Everything {
                    because: refusal.message.clone(),
                };
                let unread = consoles.unread.iter().cloned();
                std::iter::once(everything).chain(unread).collect()
            }
        }
    }

    /// What the consoles of poolers said.
    pub fn poolers(&self) -> &[Pooler] {
        match &self.outcome {
            Outcome::Seen(picture) => &picture.snapshot.poolers,
            Outcome::Refused { consoles, .. } => &consoles.answered,
        }
    }

    pub fn has_findings_at(&self, severity: Severity) -> bool {
        self.summary.severity.is_some_and(|worst| worst >= severity)
    }
}

fn worst(findings: &[Finding]) -> Option<Severity> {
    findings.iter().map(|finding| finding.severity).max()
}

fn figures(picture: &Picture<'_>) -> Figures {
    let doing = |owner: &Owner| {
        picture
            .holds_of(*owner)
            .next()
            .map(crate::hold::Hold::doing)
    };
    let holders = picture.holders();
    let holders_that = |wanted: &[Doing]| {
        holders
            .iter()
            .filter(|owner| doing(owner).is_some_and(|doing| wanted.contains(&doing)))
            .count()
    };
    let pools_that_are = |wanted: Starvation| {
        picture
            .pools
            .iter()
            .filter(|pool| pool.starvation() == wanted)
            .count()
    };
    Figures {
        locks: picture.holds.len(),
        holders: holders.len(),
        idle_holders: holders_that(&[Doing::Idle, Doing::LikelyIdle]),
        idle_in_transaction_holders: holders_that(&[Doing::IdleInTransaction]),
        prepared_holders: holders_that(&[Doing::Prepared]),
        waiters: picture.advisory_waits().count(),
        longest_wait: picture
            .advisory_waits()
            .filter_map(|wait| wait.waiting)
            .max(),
        starved_pools: pools_that_are(Starvation::Proven),
        suspected_pools: pools_that_are(Starvation::AllThatAreOpen),
    }
}

/// The picture in a sentence, the worst first. It speaks of what is there, whichever rules were chosen.
fn verdict(figures: &Figures, findings: &[Finding], blind_spots: &[BlindSpot]) -> String {
    let said: Vec<String> = [
        starved(figures),
        waiting(figures),
        resting(figures),
        other_trouble(figures, findings),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !said.is_empty() {
        return said.join("; ");
    }
    let hidden = blind_spots.iter().any(BlindSpot::hides_sessions);
    let unread = blind_spots.iter().any(BlindSpot::weakens_the_verdict);
    let why = match (hidden, unread) {
        (true, _) => "some sessions are hidden",
        (false, true) => "a pooler's console was not read",
        (false, false) => return quiet(figures),
    };
    format!("{}, as far as could be seen: {why}", quiet(figures))
}

fn starved(figures: &Figures) -> Option<String> {
    match (figures.starved_pools, figures.suspected_pools) {
        (0, 0) => None,
        (0, likely) => Some(format!(
            "{} {} starved by {} own advisory locks",
            words::count(likely, "pool"),
            words::verb(likely, "looks", "look"),
            words::verb(likely, "its", "their"),
        )),
        (starved, _) => Some(format!(
            "{} {} starved by {} own advisory locks",
            words::count(starved, "pool"),
            words::verb(starved, "is", "are"),
            words::verb(starved, "its", "their"),
        )),
    }
}

fn waiting(figures: &Figures) -> Option<String> {
    let waiters = figures.waiters;
    (waiters > 0).then(|| {
        let longest = figures.longest_wait.map_or(String::new(), |wait| {
            format!(", the longest for {}", words::duration(wait))
        });
        format!(
            "{} {} for advisory locks{longest}",
            words::count(waiters, "session"),
            words::verb(waiters, "waits", "wait"),
        )
    })
}

fn resting(figures: &Figures) -> Option<String> {
    let kinds: Vec<String> = [
        (figures.idle_holders, "idle"),
        (figures.idle_in_transaction_holders, "idle in a transaction"),
        (figures.prepared_holders, "prepared"),
    ]
    .iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, what)| format!("{number} {what}"))
    .collect();
    (!kinds.is_empty()).then(|| {
        format!(
            "{} of advisory locks ({})",
            words::count(figures.holders, "holder"),
            kinds.join(", ")
        )
    })
}

/// Rules of which the other sentences of the verdict speak.
const SAID_ELSEWHERE: [&str; 5] = [
    "starved-pool",
    "pool-waits-on-itself",
    "idle-holder",
    "idle-in-transaction-holder",
    "prepared-holder",
];

/// A warning or worse that the sentences above say nothing of.
fn other_trouble(figures: &Figures, findings: &[Finding]) -> Option<String> {
    let other = findings
        .iter()
        .filter(|finding| finding.severity > Severity::Info)
        // It may speak of waits for other locks only.
        .filter(|finding| finding.rule != "blocked-waiters" || figures.waiters == 0)
        .find(|finding| !SAID_ELSEWHERE.contains(&finding.rule))?;
    Some(other.title.clone())
}

/// Rules that were not chosen must not make the rest look like all there is.
fn left_out(findings: &[Finding], others: &[Finding]) -> Option<String> {
    let worse = worst(others).filter(|worst| *worst > Severity::Info);
    worse
        .filter(|worse| Some(*worse) > worst(findings))
        .map(|worse| {
            format!(
                "{} of other rules {} left out, the worst {}",
                words::count(others.len(), "finding"),
                words::verb(others.len(), "is", "are"),
                worse.as_str(),
            )
        })
}

fn quiet(figures: &Figures) -> String {
    match figures.locks {
        0 => "no advisory lock is held or waited for".to_owned(),
        locks => format!(
            "{} {} held, all by sessions at work; nobody waits",
            words::count(locks, "advisory lock"),
            words::verb(locks, "is", "are"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_speaks_of_rules_that_exist() {
        for name in SAID_ELSEWHERE {
            assert!(finding::rule(name).is_some(), "{name}");
        }
    }
}
