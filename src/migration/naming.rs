//! What a key's lease will be called: what people call it, else what the tool does, else the key itself.
//! No two keys get one name.

use std::collections::BTreeSet;

use super::usage::Subject;
use crate::certainty::Certainty;
use crate::key::naming::Candidate;
use crate::key::spelled::spell;
use crate::lease::Name;

/// A name that none of `taken` is.
pub(super) fn proposed(
    subject: &Subject,
    told: &[String],
    known: &[Candidate],
    taken: &BTreeSet<String>,
) -> String {
    let key = spell(subject.tag);
    let wanted = wanted(told, known).unwrap_or_else(|| key.clone());
    let in_database = subject
        .database
        .as_ref()
        .map(|database| format!("{wanted} in {database}"));
    let with_key = format!("{wanted} {key}");
    let numbered = (2..).map(|number| format!("{key} {number}"));
    let mut names = [Some(wanted), in_database, Some(with_key), Some(key.clone())]
        .into_iter()
        .flatten()
        .chain(numbered);
    let free = names.find(|name| fits(name) && !taken.contains(name));
    free.expect("some number is free")
}

fn wanted(told: &[String], known: &[Candidate]) -> Option<String> {
    let by_people = told.first().cloned();
    let sure = known.iter().find(|one| one.certainty > Certainty::Possible);
    by_people.or_else(|| Some(sure?.id.clone()))
}

fn fits(name: &str) -> bool {
    name.parse::<Name>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::AdvisoryKey;
    use crate::key::naming::{NamingContext, who_takes};

    fn named(key: AdvisoryKey, told: &[&str], taken: &[&str]) -> String {
        let subject = Subject {
            database: Some("orders".to_owned()),
            tag: key.tag(),
        };
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let told: Vec<String> = owned(told);
        let taken = taken.iter().map(|&name| name.to_owned()).collect();
        let known = who_takes(subject.tag, Some("orders"), &NamingContext::default());
        proposed(&subject, &told, &known, &taken)
    }

    const PRISMA: AdvisoryKey = AdvisoryKey::Single(72_707_369);

    #[test]
    fn people_are_heard_before_the_registry_and_the_key_speaks_last() {
        assert_eq!(named(PRISMA, &["ours"], &[]), "ours");
        assert_eq!(named(PRISMA, &[], &[]), "prisma-migrate");
        assert_eq!(named(AdvisoryKey::Pair(-7, -42), &[], &[]), "-7,-42");
    }

    #[test]
    fn a_number_that_several_tools_may_take_is_no_name() {
        assert_eq!(named(AdvisoryKey::Single(1), &[], &[]), "1");
    }

    #[test]
    fn a_name_that_is_taken_is_told_apart() {
        let taken = ["ours", "ours in orders", "ours 72707369", "72707369"];
        assert_eq!(named(PRISMA, &["ours"], &taken[..1]), "ours in orders");
        assert_eq!(named(PRISMA, &["ours"], &taken[..2]), "ours 72707369");
        assert_eq!(named(PRISMA, &["ours"], &taken), "72707369 2");
    }

    #[test]
    fn a_name_that_no_lease_can_have_is_left() {
        let long = "x".repeat(256);
        assert_eq!(named(PRISMA, &[&long], &[]), "72707369");
    }
}
