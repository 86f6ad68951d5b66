//! `false-exclusion`: a session-level lock on a backend that several clients share.

use super::{Advice, Certainty, Finding, Rule, Severity, said};
use crate::describe;
use crate::hold::{Hold, Scope};
use crate::picture::Picture;

pub(super) const RULE: Rule = Rule {
    name: "false-exclusion",
    summary: "a session-level lock on a backend that several applications were seen on (as a rule, needs samples)",
    help: "\
Behind a pooler in transaction or statement mode a session-level lock belongs to the server connection,
not to the client that took it. Every client that borrows this connection owns the lock too: it is told
`true` when it asks for it, and two of them work at the same time. The client shown is the latest
borrower, not necessarily the one who locked.

How sure: `certain` when the scan itself came through the pooler and was lent the backend that holds the
lock: a scan takes none. `likely` when one backend showed several application_names between samples while it held the
lock (`--samples 5`); a program that renames itself looks the same.

How bad: critical: the exclusion that somebody relies on does not exist.

What to do: give programs that lock a direct connection or a session-mode pool, or use transaction-level
locks or leases. To free a stranded lock, end the backend while it is idle (its clients don't notice), or
RECONNECT the database in the pooler's console. Never turn server_reset_query_always on for it: the lock
is then lost silently, right after it was taken.",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let (ours, others): (Vec<_>, Vec<_>) = picture
        .holds
        .iter()
        .partition(|hold| hold.pid() == Some(picture.snapshot.viewer.pid));
    let lent = ours.into_iter().map(|hold| lent_to_us(picture, hold));
    let seen = others
        .into_iter()
        .filter(|hold| hold.scope == Scope::Session)
        .filter_map(|hold| finding(picture, hold));
    lent.chain(seen).collect()
}

fn lent_to_us(picture: &Picture<'_>, hold: &Hold<'_>) -> Finding {
    let waiters = picture.waiters_of(hold);
    let mut evidence = vec![
        "this scan came through a pooler, was lent the backend that holds the lock, and took none"
            .to_owned(),
    ];
    evidence.extend(said::waiters(&waiters));
    Finding {
        rule: RULE.name,
        severity: Severity::Critical,
        certainty: Certainty::Certain,
        harms: waiters.len(),
        title: format!(
            "{} is held by a backend that a pooler lends to whoever comes, this scan included (pid {})",
            describe::key(picture, said::id(hold)),
            picture.snapshot.viewer.pid
        ),
        evidence,
        pids: hold.pid().into_iter().collect(),
        keys: vec![said::id(hold)],
        advice: advice(),
    }
}

fn finding(picture: &Picture<'_>, hold: &Hold<'_>) -> Option<Finding> {
    let names = picture.history.applications(picture.snapshot, hold.lock);
    if names.len() < 2 {
        return None;
    }
    let session = hold.holder.session()?;
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    let waiters = picture.waiters_of(hold);
    let mut evidence = vec![
        format!(
            "while it held the lock, the backend showed application_name {}",
            names.join(", ")
        ),
        said::hold(picture, hold),
    ];
    evidence.extend(said::waiters(&waiters));
    Some(Finding {
        rule: RULE.name,
        severity: Severity::Critical,
        certainty: Certainty::Likely,
        harms: waiters.len().max(names.len()),
        title: format!(
            "{} holds {}, on a backend that {} clients share",
            describe::session(session),
            describe::key(picture, said::id(hold)),
            names.len()
        ),
        evidence,
        pids: vec![session.pid],
        keys: vec![said::id(hold)],
        advice: advice(),
    })
}

fn advice() -> Vec<Advice> {
    vec![
        Advice::say(
            "free it by RECONNECT of the database in the pooler's console, or end the backend while it is idle: its clients don't notice",
        ),
        Advice::say(
            "then give programs that lock a direct connection or a session-mode pool; never server_reset_query_always, which loses locks silently",
        ),
    ]
}
