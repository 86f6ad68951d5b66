//! `timeout-breaks-lock`: a time limit will end a holder's session, and its lock with it.

use std::time::Duration;

use super::{Advice, Certainty, Finding, Rule, Severity, said};
use crate::describe;
use crate::hold::{Doing, Hold};
use crate::picture::Picture;
use crate::snapshot::Session;
use crate::words;

pub(super) const RULE: Rule = Rule {
    name: "timeout-breaks-lock",
    summary: "a time limit of the server will end an idle holder's session, and give its lock away",
    help: "\
idle_session_timeout (14 and later) ends idle sessions, idle_in_transaction_session_timeout and
transaction_timeout (17 and later) those that keep a transaction open. The lock goes to the next waiter at
that moment, while the old owner finds out with its next statement: until then both work.

How sure: `likely`: the settings of role and database are read, but a session can have set its own.

How bad: a warning: exclusion ends by the clock, not by the work.

What to do: let the role that holds locks across idle time have no such limit, or hold a lease, whose
holder knows until when it is valid.",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let findings = picture.holders().into_iter().filter_map(|owner| {
        let holds: Vec<&Hold<'_>> = picture.holds_of(owner).collect();
        let session = holds.first()?.holder.session()?;
        let (setting, limit, since) = end(picture, holds[0], session)?;
        Some(finding(picture, &holds, session, (setting, limit, since)))
    });
    findings.collect()
}

/// The limit that ends the holder first, and how long it has been running.
fn end(
    picture: &Picture<'_>,
    hold: &Hold<'_>,
    session: &Session,
) -> Option<(&'static str, Duration, Option<Duration>)> {
    let snapshot = picture.snapshot;
    let idle = session.state_change.map(|since| snapshot.age(since));
    let open = session.xact_start.map(|since| snapshot.age(since));
    let candidates: &[(&str, Option<Duration>)] = match hold.doing() {
        Doing::Idle => &[("idle_session_timeout", idle)],
        Doing::IdleInTransaction => &[
            ("idle_in_transaction_session_timeout", idle),
            ("transaction_timeout", open),
        ],
        Doing::Working => &[("transaction_timeout", open)],
        _ => &[],
    };
    candidates
        .iter()
        .filter_map(|(setting, running)| {
            let limit = snapshot.timeout(session, setting)?;
            (limit > Duration::ZERO).then_some((*setting, limit, *running))
        })
        .min_by_key(|(_, limit, running)| limit.saturating_sub(running.unwrap_or_default()))
}

fn finding(
    picture: &Picture<'_>,
    holds: &[&Hold<'_>],
    session: &Session,
    (setting, limit, running): (&str, Duration, Option<Duration>),
) -> Finding {
    let waits = picture.waiters_of_any(holds);
    let left = running.map(|running| limit.saturating_sub(running));
    let when = left.map_or(String::new(), |left| {
        format!(" in {}", words::duration(left))
    });
    Finding {
        rule: RULE.name,
        severity: Severity::Warning,
        certainty: Certainty::Likely,
        harms: 0,
        title: format!(
            "the server will end {}{when} and give {} away",
            describe::session(session),
            said::keys(picture, holds)
        ),
        evidence: vec![format!(
            "{setting} is {} for its role and database, unless the session has set its own",
            words::duration(limit)
        )],
        pids: vec![session.pid],
        keys: said::distinct(holds),
        advice: vec![Advice::say(match waits.is_empty() {
            true => format!(
                "if its lock is meant to outlast idle time, give the role no {setting}; or hold a lease"
            ),
            false => format!(
                "the next waiter gets the lock then, while the old owner still believes in it: give the role no {setting}, or hold a lease"
            ),
        })],
    }
}
