//! `many-locks-one-session`: one owner holds advisory locks by the dozen.

use super::{Advice, Certainty, Finding, Rule, Severity, said};
use crate::describe;
use crate::hold::Hold;
use crate::picture::Picture;
use crate::snapshot::Owner;
use crate::words;

/// Batches and job queues hold a handful at once; this many hint at a call that ran once a row.
const MANY: usize = 32;

pub(super) const RULE: Rule = Rule {
    name: "many-locks-one-session",
    summary: "one session holds 32 advisory locks or more",
    help: "\
A session that piles up locks mostly did not mean to: a lock call in a WHERE clause runs for rows that
LIMIT throws away (and for rows that do not match), a worker forgets to unlock, or a key is made for
each entity. Every one of them takes a place in the shared lock table until the session ends.

How sure: `certain` as to the number. Locks taken more than once count once: the server does not show
how often.

How bad: a warning.

What to do: let the session call pg_advisory_unlock_all(), or end it. In a query, lock in an outer
query over a MATERIALIZED subquery, after LIMIT.",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let owners = picture.holders().into_iter();
    let mut many: Vec<(usize, Owner)> = owners
        .map(|owner| (picture.holds_of(owner).count(), owner))
        .filter(|(number, _)| *number >= MANY)
        .collect();
    many.sort_by_key(|(number, owner)| (std::cmp::Reverse(*number), *owner));
    many.into_iter()
        .map(|(number, owner)| finding(picture, owner, number))
        .collect()
}

fn finding(picture: &Picture<'_>, owner: Owner, number: usize) -> Finding {
    let holds: Vec<&Hold<'_>> = picture.holds_of(owner).collect();
    let share = number * 100 / picture.holds.len();
    let mut evidence = vec![format!("{share} % of all advisory locks that are held")];
    if let Some(session) = holds[0].holder.session() {
        evidence.extend(said::last_statement(session));
    }
    Finding {
        rule: RULE.name,
        severity: Severity::Warning,
        certainty: Certainty::Certain,
        harms: 0,
        title: format!(
            "{} holds {}",
            describe::owner(picture, owner),
            words::count(number, "advisory lock")
        ),
        evidence,
        pids: owner.pid().into_iter().collect(),
        keys: said::distinct(&holds),
        advice: vec![Advice::say(
            "let that session run SELECT pg_advisory_unlock_all(), or end it; then look for a lock \
             call that runs once a row (in WHERE, before LIMIT)",
        )],
    }
}
