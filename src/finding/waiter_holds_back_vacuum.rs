//! `waiter-holds-back-vacuum`: a waiter for an advisory lock keeps the oldest snapshot open.

use super::{Advice, Certainty, Finding, Rule, Severity, said};
use crate::describe;
use crate::picture::Picture;
use crate::snapshot::{Owner, Session};

pub(super) const RULE: Rule = Rule {
    name: "waiter-holds-back-vacuum",
    summary: "the oldest snapshot on the server belongs to a session that waits for an advisory lock",
    help: "\
A blocked pg_advisory_lock call keeps its statement's snapshot for as long as it waits. VACUUM removes no
row version that such a snapshot may still see, so tables grow while everybody waits. The idle holder
itself holds no snapshot: ending the waiters alone lets VACUUM go on, ending the holder cures both.

How sure: `certain`: no session's snapshot is older. Replication slots and prepared transactions, which
can hold back more, are not looked at here.

How bad: a warning from a thousand transactions on.

What to do: free the lock. Afterwards: wait with lock_timeout, or ask with pg_try_advisory_lock.",
    check,
};

/// Fewer transactions make no bloat worth a word.
const TRANSACTIONS: i32 = 1_000;

/// A snapshot is as old as the oldest transaction that ran when it was taken, so all sessions can
/// share the age of a waiter that has written something.
fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let sessions = picture.snapshot.sessions.iter();
    let oldest = sessions.filter_map(|session| session.xmin_age).max();
    let mut waiters = picture
        .advisory_waits()
        .filter_map(|wait| picture.snapshot.session(wait.pid));
    waiters
        .find(|session| session.xmin_age == oldest)
        .and_then(|session| finding(picture, session))
        .into_iter()
        .collect()
}

fn finding(picture: &Picture<'_>, session: &Session) -> Option<Finding> {
    let age = session.xmin_age.filter(|age| *age >= TRANSACTIONS)?;
    let wait = picture.waits.wait_of(session.pid)?;
    let roots: Vec<String> = wait
        .blockers
        .iter()
        .map(|owner| describe::owner(picture, *owner))
        .collect();
    let waited = said::waited(wait).map_or(String::new(), |time| format!(" {time}"));
    Some(Finding {
        rule: RULE.name,
        severity: Severity::Warning,
        certainty: Certainty::Certain,
        harms: 0,
        title: format!(
            "{} waits for an advisory lock and keeps VACUUM from the last {age} transactions",
            describe::session(session)
        ),
        evidence: vec![format!(
            "it has waited{waited} for {}, held by {}",
            describe::target(picture, &wait.lock.target),
            if roots.is_empty() {
                "nobody, but queued".to_owned()
            } else {
                roots.join(", ")
            }
        )],
        pids: vec![session.pid],
        keys: Vec::new(),
        advice: vec![Advice::say(match wait.blockers.first() {
            Some(Owner::Session(pid)) => format!(
                "end the holder (pid {pid}; the statement stands with its own finding), which frees the waiter as well"
            ),
            _ => "free the lock, or cancel the waiter's statement".to_owned(),
        })],
    })
}
