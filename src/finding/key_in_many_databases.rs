//! `key-in-many-databases`: one key, locked in several databases, where it is several locks.

use std::collections::{BTreeMap, BTreeSet};

use super::{Advice, Certainty, Finding, Rule, Severity, said};
use crate::hold::Hold;
use crate::key::AdvisoryTag;
use crate::picture::Picture;
use crate::words;

pub(super) const RULE: Rule = Rule {
    name: "key-in-many-databases",
    summary: "the same key is held in several databases: these are different locks",
    help: "\
Advisory locks belong to a database. The same number locked in two databases is two locks, and neither
holder excludes the other. A query that joins on classid and objid only takes one for the other.

How sure: `certain` that the key is held in several databases. Whether somebody meant one lock can't be
seen: a migration tool run on several databases uses one constant in each.

How bad: a remark.

What to do: if the work is shared between the databases, lock in one and the same database.",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let mut by_tag: BTreeMap<AdvisoryTag, Vec<&Hold<'_>>> = BTreeMap::new();
    for hold in picture.holds.iter().filter(|hold| hold.tag.key().is_some()) {
        by_tag.entry(hold.tag).or_default().push(hold);
    }
    by_tag
        .into_iter()
        .filter_map(|(tag, holds)| finding(picture, tag, &holds))
        .collect()
}

fn finding(picture: &Picture<'_>, tag: AdvisoryTag, holds: &[&Hold<'_>]) -> Option<Finding> {
    let databases: BTreeSet<u32> = holds.iter().map(|hold| hold.database).collect();
    if databases.len() < 2 {
        return None;
    }
    Some(Finding {
        rule: RULE.name,
        severity: Severity::Info,
        certainty: Certainty::Certain,
        harms: 0,
        title: format!(
            "key {tag} is held in {}: these are different locks",
            words::count(databases.len(), "database")
        ),
        evidence: holds
            .iter()
            .map(|hold| {
                let holder = crate::describe::owner(picture, hold.owner());
                format!("{holder}: {}", said::hold(picture, hold))
            })
            .collect(),
        pids: said::pids(holds),
        keys: said::distinct(holds),
        advice: vec![Advice::say(
            "if these were meant to exclude each other, lock in one and the same database",
        )],
    })
}
