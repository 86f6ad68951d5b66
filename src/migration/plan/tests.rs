//! What becomes of a person's words, and of keys that are not seen any more.

use super::*;
use crate::key::AdvisoryKey;
use crate::migration::ttl;
use crate::migration::usage::Mode;
use crate::planted::{Plant, now, quiet};
use crate::snapshot::SessionState::Idle;

fn planned(former: &[Former], map: &[Told]) -> Plan {
    let mut gathering = Gathering::default();
    gathering.add(
        quiet()
            .session(10, Idle)
            .named(10, "sweeper")
            .holds(10, 7)
            .session(11, Idle)
            .shares(11, 9),
    );
    let names = Names::default();
    let words = Words {
        names: &names,
        map,
        former,
    };
    Plan::of(&gathering, words)
}

fn of_key(plan: &Plan, key: i64) -> &Entry {
    let tag = AdvisoryKey::Single(key).tag();
    let mut entries = plan.entries.iter();
    let found = entries.find(|entry| entry.subject.tag == tag);
    found.unwrap_or_else(|| panic!("no key {key} in {plan:?}"))
}

fn told(key: i64, name: &str) -> Told {
    Told {
        name: name.to_owned(),
        tag: AdvisoryKey::Single(key).tag(),
        database: None,
        ttl: None,
    }
}

fn former(key: i64, name: &str, decision: Decision) -> Former {
    Former {
        told: told(key, name),
        decision: Some(decision),
        certainty: Some(Certainty::Certain),
        reason: Some("because".to_owned()),
        seen: Usage::default(),
        proposed: Some((decision, "because".to_owned())),
        proposed_ttl: None,
    }
}

#[test]
fn keys_are_judged_and_named() {
    let plan = planned(&[], &[told(7, "sweep")]);
    let (one, other) = (of_key(&plan, 7), of_key(&plan, 9));
    assert_eq!(
        (one.decision, one.name.as_str()),
        (Decision::Lease, "sweep")
    );
    assert_eq!(
        (other.decision, other.name.as_str()),
        (Decision::Refuse, "9")
    );
    assert_eq!(one.ttl, ttl::USUAL);
    assert_eq!(one.standing, Standing::New);
}

#[test]
fn what_a_person_decided_stays_and_what_was_only_written_does_not() {
    let mut edited = former(9, "readers", Decision::Lease);
    edited.proposed = Some((Decision::Refuse, "because".to_owned()));
    edited.told.ttl = Some(Duration::from_secs(77));
    let plan = planned(&[edited], &[]);
    let entry = of_key(&plan, 9);
    assert_eq!(entry.decision, Decision::Lease);
    assert_eq!(entry.decided_by, DecidedBy::Person);
    assert_eq!((entry.name.as_str(), entry.ttl.as_secs()), ("readers", 77));
    assert_eq!(entry.judged.decision, Decision::Refuse);
    let plan = planned(&[former(9, "readers", Decision::Lease)], &[]);
    assert_eq!(of_key(&plan, 9).decision, Decision::Refuse);
}

#[test]
fn what_was_seen_before_is_not_forgotten() {
    let mut before = former(7, "sweep", Decision::Refuse);
    before.seen = Usage {
        modes: [Mode::Shared].into(),
        last_seen: Some(now() - Duration::from_secs(9_999)),
        ..Usage::default()
    };
    let plan = planned(&[before], &[]);
    let entry = of_key(&plan, 7);
    assert_eq!(entry.decision, Decision::Refuse);
    assert_eq!(entry.usage.modes.len(), 2);
    assert_eq!(entry.standing, Standing::Seen);
}

#[test]
fn keys_that_are_not_seen_any_more_stay() {
    let plan = planned(&[former(8, "gone", Decision::Lease)], &[told(6, "never")]);
    assert_eq!(of_key(&plan, 8).standing, Standing::NotSeen);
    let never = of_key(&plan, 6);
    assert_eq!(never.standing, Standing::NotSeen);
    assert_eq!(
        (never.decision, never.certainty),
        (Decision::Lease, Some(Certainty::Possible))
    );
}

#[test]
fn two_names_of_one_key_in_a_map_are_refused_and_two_keys_of_one_name() {
    let plan = planned(&[], &[told(7, "import"), told(7, "export")]);
    assert_eq!(of_key(&plan, 7).decision, Decision::Refuse);
    let plan = planned(&[], &[told(7, "import"), told(6, "import")]);
    assert_eq!(of_key(&plan, 7).decision, Decision::Refuse);
    assert_eq!(of_key(&plan, 6).decision, Decision::Refuse);
}

#[test]
fn many_pairs_of_one_first_half_are_rows_to_claim() {
    let mut sample = quiet();
    for row in 0..8 {
        let pid = 20 + row;
        sample = sample.session(pid, Idle).holds(pid, 1);
        let lock = sample.locks.last_mut().expect("just planted");
        lock.target = crate::snapshot::Target::Advisory {
            database: crate::planted::DATABASE,
            tag: AdvisoryKey::Pair(77_001, row).tag(),
        };
    }
    let mut gathering = Gathering::default();
    gathering.add(sample);
    let names = Names::default();
    let words = Words {
        names: &names,
        map: &[],
        former: &[],
    };
    let plan = Plan::of(&gathering, words);
    assert_eq!(plan.decided(Decision::SkipLocked).count(), 8);
}
