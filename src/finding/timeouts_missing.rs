//! `timeouts-missing`: nothing on the server would ever end this wait, or this idle transaction.

use std::time::Duration;

use super::{Advice, Certainty, Finding, Rule, Severity};
use crate::hold::Doing;
use crate::picture::Picture;
use crate::snapshot::Session;
use crate::words;

pub(super) const RULE: Rule = Rule {
    name: "timeouts-missing",
    summary: "no time limit would end the waits, or the idle transactions, that were found",
    help: "\
A session that waits for an advisory lock waits for ever unless lock_timeout, statement_timeout or (17 and
later) transaction_timeout ends it; a transaction that is idle stays unless
idle_in_transaction_session_timeout does.

How sure: `likely`: the settings of role and database are read, but a session can have set its own.

How bad: a remark.

What to do: set the limit for the application's role, lower than its users' patience.",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    [endless_waits(picture), endless_transactions(picture)]
        .into_iter()
        .flatten()
        .collect()
}

fn endless_waits(picture: &Picture<'_>) -> Option<Finding> {
    let waiting: Vec<&Session> = picture
        .advisory_waits()
        .filter_map(|wait| picture.snapshot.session(wait.pid))
        .filter(|session| {
            ["lock_timeout", "statement_timeout"]
                .iter()
                .all(|setting| is_off(picture, session, setting))
                && !is_on(picture, session, "transaction_timeout")
        })
        .collect();
    finding(
        &waiting,
        "lock_timeout",
        format!(
            "no lock_timeout or statement_timeout ends {} of {}",
            words::verb(waiting.len(), "the wait", "the waits"),
            words::count(waiting.len(), "session")
        ),
    )
}

fn endless_transactions(picture: &Picture<'_>) -> Option<Finding> {
    const SETTING: &str = "idle_in_transaction_session_timeout";
    let holders = picture.holders().into_iter().filter(|owner| {
        let mut holds = picture.holds_of(*owner);
        holds.any(|hold| hold.doing() == Doing::IdleInTransaction)
    });
    let idle: Vec<&Session> = holders
        .filter_map(|owner| picture.snapshot.session(owner.pid()?))
        .filter(|session| is_off(picture, session, SETTING))
        .collect();
    finding(
        &idle,
        SETTING,
        format!(
            "no {SETTING} ends {} of {}",
            words::verb(idle.len(), "the idle transaction", "the idle transactions"),
            words::count(idle.len(), "holder")
        ),
    )
}

fn finding(sessions: &[&Session], setting: &str, title: String) -> Option<Finding> {
    let mut roles: Vec<&str> = sessions
        .iter()
        .filter_map(|session| session.usename.as_deref())
        .collect();
    roles.sort_unstable();
    roles.dedup();
    (!sessions.is_empty()).then(|| Finding {
        rule: RULE.name,
        severity: Severity::Info,
        certainty: Certainty::Likely,
        harms: 0,
        title,
        evidence: vec![format!(
            "{} of {} {}: 0 (off), unless a session has set its own",
            setting,
            words::verb(roles.len(), "role", "roles"),
            roles.join(", ")
        )],
        pids: sessions.iter().map(|session| session.pid).collect(),
        keys: Vec::new(),
        advice: vec![Advice::say(format!(
            "set {setting} for the application's role: ALTER ROLE … SET {setting} = '…'"
        ))],
    })
}

fn is_off(picture: &Picture<'_>, session: &Session, setting: &str) -> bool {
    picture.snapshot.timeout(session, setting) == Some(Duration::ZERO)
}

fn is_on(picture: &Picture<'_>, session: &Session, setting: &str) -> bool {
    picture
        .snapshot
        .timeout(session, setting)
        .is_some_and(|limit| limit > Duration::ZERO)
}
