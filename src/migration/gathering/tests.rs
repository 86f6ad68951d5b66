//! What samples make known of a key.

use super::*;
use crate::key::AdvisoryKey;
use crate::planted::{Plant, quiet};
use crate::snapshot::SessionState::{Active, Idle, IdleInTransaction};

fn at(mut snapshot: Snapshot, seconds: u64) -> Snapshot {
    snapshot.captured_at += Duration::from_secs(seconds);
    snapshot
}

fn gathered(samples: Vec<Snapshot>) -> Gathering {
    let mut gathering = Gathering::default();
    samples.into_iter().for_each(|sample| gathering.add(sample));
    gathering
}

fn of_key(gathering: &Gathering, key: i64) -> Usage {
    let tag = AdvisoryKey::Single(key).tag();
    let mut usages = gathering.usages();
    let found = usages.find(|(subject, _)| subject.tag == tag);
    found.unwrap_or_else(|| panic!("key {key} was seen")).1
}

fn seconds(bound: Option<Duration>) -> Option<u64> {
    bound.map(|bound| bound.as_secs())
}

#[test]
fn gathers_who_held_and_who_waited() {
    let sample = quiet()
        .session(10, Idle)
        .named(10, "sweeper")
        .holds(10, 7)
        .session(11, Active)
        .named(11, "checkout")
        .waits(11, 7, 5);
    let usage = of_key(&gathered(vec![sample]), 7);
    assert_eq!(usage.applications, BTreeSet::from(["sweeper".to_owned()]));
    assert_eq!(usage.asked_by, BTreeSet::from(["checkout".to_owned()]));
    assert_eq!(usage.roles, BTreeSet::from(["app".to_owned()]));
    assert_eq!(usage.scopes, BTreeSet::from([ScopeSeen::Session]));
    assert_eq!(
        usage.calls,
        BTreeSet::from([crate::migration::Call::Session])
    );
    assert_eq!(
        (usage.most_waiters, usage.seen_in, usage.samples),
        (1, 1, 1)
    );
    assert_eq!(seconds(usage.held_at_least), Some(60));
    assert_eq!(usage.held_at_most, Some(Upper::Unknown), "it goes on");
}

#[test]
fn samples_without_a_hold_before_it_bound_it_closely() {
    let held = || quiet().session(10, Active).holds_in_transaction(10, 7);
    let samples = vec![
        at(quiet(), 0),
        at(held(), 10),
        at(held(), 20),
        at(quiet(), 30),
    ];
    let usage = of_key(&gathered(samples), 7);
    assert_eq!(seconds(usage.held_at_least), Some(10));
    assert_eq!(usage.held_at_most, Some(Upper::Of(Duration::from_secs(30))));
    assert_eq!((usage.seen_in, usage.samples), (2, 4));
}

#[test]
fn a_hold_that_was_not_seen_to_end_is_not_bounded() {
    let held = || quiet().session(10, Active).holds_in_transaction(10, 7);
    let mut gathering = gathered(vec![at(quiet(), 0), at(held(), 10)]);
    assert_eq!(of_key(&gathering, 7).held_at_most, Some(Upper::Unknown));
    gathering.begin_series();
    gathering.add(at(quiet(), 20));
    assert_eq!(of_key(&gathering, 7).held_at_most, Some(Upper::Unknown));
}

#[test]
fn a_lock_that_we_were_lent_is_a_sessions() {
    let sample = quiet().session(1, Active).holds_in_transaction(1, 7);
    let usage = of_key(&gathered(vec![sample]), 7);
    assert!(usage.lent_to_us && usage.has_scope(ScopeSeen::Session));
}

#[test]
fn a_lock_that_was_outside_any_transaction_is_the_sessions() {
    let rests = || quiet().session(10, Idle).holds(10, 7);
    let at_work = || quiet().session(10, Active).holds_in_transaction(10, 7);
    let scope_of = |samples: Vec<Snapshot>| of_key(&gathered(samples), 7).scopes.clone();
    assert!(scope_of(vec![rests(), at(at_work(), 1)]).contains(&ScopeSeen::Session));
    let again = |local| {
        let mut sample = at_work();
        sample.locks[0].virtualtransaction = VirtualTransaction { backend: 10, local };
        sample
    };
    let in_each = scope_of(vec![again(4), at(again(5), 1)]);
    assert!(
        !in_each.contains(&ScopeSeen::Session),
        "a worker locks again"
    );
}

#[test]
fn a_prepared_transaction_holds_for_its_own_length() {
    let usage = of_key(&gathered(vec![quiet().prepared("gid", 736, 7)]), 7);
    assert_eq!(usage.scopes, BTreeSet::from([ScopeSeen::Transaction]));
    assert_eq!(usage.roles, BTreeSet::from(["app".to_owned()]));
    assert_eq!(usage.held_at_most, Some(Upper::Unknown));
}

#[test]
fn a_transaction_that_does_nothing_with_its_lock_is_noted() {
    let sample = quiet()
        .session(10, IdleInTransaction)
        .holds_in_transaction(10, 7);
    let usage = of_key(&gathered(vec![sample]), 7);
    assert_eq!(seconds(usage.idle_in_transaction), Some(60));
}

#[test]
fn a_backend_of_several_clients_shows() {
    let named = |name| quiet().session(10, Idle).named(10, name).holds(10, 7);
    let usage = of_key(&gathered(vec![named("svc-a"), at(named("svc-b"), 1)]), 7);
    assert_eq!(usage.names_of_one_backend.len(), 2);
}

#[test]
fn keys_that_are_asked_for_and_not_had_are_seen_too() {
    let mut sample = quiet().session(10, Idle);
    sample.sessions[0].query = Some("SELECT pg_try_advisory_lock(4711)".to_owned());
    let usage = of_key(&gathered(vec![sample]), 4_711);
    assert!(usage.scopes.is_empty(), "nobody holds it");
    assert_eq!(usage.asked_by, BTreeSet::from(["api".to_owned()]));
}

#[test]
fn a_hold_goes_on_for_sure_only_while_its_transaction_does() {
    let under = |local, seconds| {
        let mut sample = quiet().session(10, Active).holds_in_transaction(10, 7);
        sample.locks[0].virtualtransaction = VirtualTransaction { backend: 10, local };
        at(sample, seconds)
    };
    let usage = of_key(&gathered(vec![under(4, 0), under(5, 10), under(5, 13)]), 7);
    assert_eq!(seconds(usage.held_at_least), Some(3));
}

#[test]
fn a_key_of_a_database_that_was_not_looked_at_was_not_looked_for() {
    let of = |database: &str| Subject {
        database: Some(database.to_owned()),
        tag: AdvisoryKey::Single(7).tag(),
    };
    let mut gathering = Gathering::default();
    assert!(
        !gathering.looked_for(&of("orders")),
        "nothing was looked at"
    );
    gathering.add(quiet());
    assert!(gathering.looked_for(&of("orders")));
    assert!(!gathering.looked_for(&of("elsewhere")));
    let mut narrow = Gathering::of_databases(&["archive".to_owned()]);
    narrow.add(quiet());
    assert!(!narrow.looked_for(&of("orders")));
}
