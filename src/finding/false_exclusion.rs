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
lock: a scan takes none; or when the backend showed several application_names between samples while it
held the lock (`--samples 5`), and another sign speaks for a pooler: other sessions from its address
change their names too, it is called as a pooler calls its connections, the scan came the same way. `likely`
when the name changed and nothing else shows (a program that renames itself looks the same), when
its name or its last statement is a pooler's own, or when a pooler is likely there and the backend was seen at three
statements or more, none of them about the lock. `possible` when its last statement sets the new name
itself, or one sample shows another statement than the lock's behind a likely pooler. A leader that works on the
connection of its lock is no finding.

How bad: critical: the exclusion that somebody relies on does not exist. Only a remark when `possible`.

What can't be seen: how often the lock was taken (one row, however often), a client that never came back,
and poolers that drop locks (server_reset_query_always, Odyssey as it comes): these leave no row at all. What each
pooler does to session locks: docs/poolers.md.

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
    let session = hold.holder.session()?;
    let pooled = picture.pooled.get(&session.pid)?;
    let certainty = pooled.shared?;
    let waiters = picture.waiters_of(hold);
    let names = picture.history.applications(picture.snapshot, hold.lock);
    let mut evidence: Vec<String> = said::pooled(pooled);
    evidence.push(said::hold(picture, hold));
    evidence.extend(said::waiters(&waiters));
    Some(Finding {
        rule: RULE.name,
        severity: match certainty {
            Certainty::Possible => Severity::Info,
            Certainty::Likely | Certainty::Certain => Severity::Critical,
        },
        certainty,
        harms: waiters.len().max(names.len()),
        title: format!(
            "{} holds {}, {}",
            describe::session(session),
            describe::key(picture, said::id(hold)),
            on_what(certainty, names.len())
        ),
        evidence,
        pids: vec![session.pid],
        keys: vec![said::id(hold)],
        advice: match certainty {
            Certainty::Possible => vec![find_out()],
            Certainty::Likely | Certainty::Certain => advice(),
        },
    })
}

fn on_what(certainty: Certainty, names: usize) -> String {
    match (certainty, names) {
        (Certainty::Possible, _) => "maybe on a backend that a pooler lends to others".to_owned(),
        (_, 2..) => format!("on a backend that {names} clients share"),
        _ => "on a backend that a pooler lends to others".to_owned(),
    }
}

fn find_out() -> Advice {
    Advice::say(
        "to know it, take several samples (--samples 5), or ask who owns the session's address: a program's host, or a pooler's",
    )
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
