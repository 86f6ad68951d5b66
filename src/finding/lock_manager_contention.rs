//! `lock-manager-contention`: sessions stand before the lock table itself.

use super::{Advice, Certainty, Finding, Rule, Severity};
use crate::picture::Picture;
use crate::snapshot::Session;
use crate::words;

pub(super) const RULE: Rule = Rule {
    name: "lock-manager-contention",
    summary: "several sessions wait at one moment for a partition of the lock table",
    help: "\
The lock table is guarded by 16 lightweight locks. Advisory locks never take the fast path around them,
so programs that lock and unlock thousands of times a second (rate limits, deduplication), or queries that
touch many partitions, make ordinary queries wait there as well (wait event LockManager).

How sure: `possible` from one sample, since such waits are short; `likely` when the sample shows eight or more.

How bad: a warning.

What to do: find who locks most often, and lock less: in batches, or by a row with SKIP LOCKED.",
    check,
};

/// One or two may stand there on any busy server.
const SEVERAL: usize = 3;
const MANY: usize = 8;

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let standing: Vec<&Session> = picture
        .snapshot
        .sessions
        .iter()
        .filter(|session| waits_for_the_lock_table(session))
        .collect();
    if standing.len() < SEVERAL {
        return Vec::new();
    }
    vec![Finding {
        rule: RULE.name,
        severity: Severity::Warning,
        certainty: if standing.len() >= MANY {
            Certainty::Likely
        } else {
            Certainty::Possible
        },
        harms: standing.len(),
        title: format!(
            "{} wait at this moment for the lock table itself (LWLock LockManager)",
            words::count(standing.len(), "session")
        ),
        evidence: vec![format!(
            "{} held, none of them on the fast path",
            words::count(picture.holds.len(), "advisory lock")
        )],
        pids: standing.iter().map(|session| session.pid).collect(),
        keys: Vec::new(),
        advice: vec![Advice::say(
            "find who locks and unlocks most often, and let it lock less: in batches, or rows with SKIP LOCKED",
        )],
    }]
}

/// The event's name is `LockManager` since 13.
fn waits_for_the_lock_table(session: &Session) -> bool {
    session.wait_event_type.as_deref() == Some("LWLock")
        && session.wait_event.as_deref() == Some("LockManager")
}
