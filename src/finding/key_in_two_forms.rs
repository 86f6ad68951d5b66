//! `key-in-two-forms`: the same bits locked as one bigint and as two integers.

use std::collections::HashMap;

use super::{Advice, Certainty, Finding, Rule, Severity, said};
use crate::describe;
use crate::hold::Hold;
use crate::key::AdvisoryTag;
use crate::picture::{LockId, Picture};

pub(super) const RULE: Rule = Rule {
    name: "key-in-two-forms",
    summary: "one key is held both as a bigint and as a pair of integers: these never conflict",
    help: "\
pg_advisory_lock(1) and pg_advisory_lock(0, 1) look alike in pg_locks but for objsubid (1 and 2), and are
different locks. Two programs that spell one key differently do not exclude each other.

How sure: `possible`: that both were meant to be one lock is a guess from equal numbers.

How bad: a warning.

What to do: compare the two programs' lock calls, and use one form.",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let pairs: HashMap<LockId, &Hold<'_>> = picture
        .holds
        .iter()
        .filter(|hold| hold.tag.objsubid == 2)
        .map(|hold| (said::id(hold), hold))
        .collect();
    let singles = picture.holds.iter().filter(|hold| hold.tag.objsubid == 1);
    singles
        .filter_map(|single| {
            let twin = LockId {
                database: single.database,
                tag: AdvisoryTag {
                    objsubid: 2,
                    ..single.tag
                },
            };
            Some(finding(picture, single, pairs.get(&twin)?))
        })
        .collect()
}

fn finding(picture: &Picture<'_>, single: &Hold<'_>, pair: &Hold<'_>) -> Finding {
    Finding {
        rule: RULE.name,
        severity: Severity::Warning,
        certainty: Certainty::Possible,
        harms: 0,
        title: format!(
            "keys {} and {} have the same bits and never conflict",
            single.tag, pair.tag
        ),
        evidence: [single, pair]
            .iter()
            .map(|hold| {
                let holder = describe::owner(picture, hold.owner());
                format!("{holder}: {}", said::hold(picture, hold))
            })
            .collect(),
        pids: said::pids(&[single, pair]),
        keys: said::distinct(&[single, pair]),
        advice: vec![Advice::say(
            "compare the lock calls of both programs: if they mean one lock, use one form",
        )],
    }
}
