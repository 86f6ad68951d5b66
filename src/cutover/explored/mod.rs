//! Every order of the small steps of old code, two of new code and an operator, on one name: nobody ever
//! works beside another. And each rule is needed: without it, an order is found in which two do.

mod steps;
mod world;

use std::collections::{HashMap, HashSet, VecDeque};

use self::steps::{Next, Rules, Style, all};
use self::world::{New, Old, World};
use super::gate::Gate;
use crate::lease::Mode;

/// The shortest way to two at work, if there is one; how many states were seen, and in which modes.
fn explore(rules: Rules) -> Result<HashSet<World>, Vec<String>> {
    let start = World::start();
    let mut seen = HashSet::from([start]);
    let mut came_from: HashMap<World, Next> = HashMap::new();
    let mut todo = VecDeque::from([start]);
    while let Some(world) = todo.pop_front() {
        if world.at_work() > 1 {
            return Err(way_to(world, &came_from));
        }
        for (said, next) in all(world, rules) {
            if seen.insert(next) {
                came_from.insert(next, (said, world));
                todo.push_back(next);
            }
        }
    }
    Ok(seen)
}

fn way_to(world: World, came_from: &HashMap<World, Next>) -> Vec<String> {
    let mut way = Vec::new();
    let mut at = world;
    while let Some((said, before)) = came_from.get(&at) {
        way.push(said.clone());
        at = *before;
    }
    way.reverse();
    way
}

#[track_caller]
fn fails(what: &str, rules: Rules) -> Vec<String> {
    explore(rules).expect_err(what)
}

#[test]
fn nobody_ever_works_beside_another() {
    for style in [Style::Hold, Style::Probe] {
        let seen = explore(Rules::of(style)).unwrap_or_else(|way| panic!("{style:?}: {way:#?}"));
        // It is no proof if nothing happened: each kind of work was done, in each mode that allows it.
        let done = |work: New, mode| {
            let mut seen = seen.iter();
            seen.any(|world| world.new[0] == work && world.mode == mode)
        };
        assert!(done(New::WorksByKey, Mode::Advisory) && done(New::WorksByKey, Mode::Both));
        assert!(done(New::WorksByLease, Mode::Lease) && done(New::WorksByLease, Mode::Both));
        assert!(done(
            match style {
                Style::Hold => New::WorksBridged,
                Style::Probe => New::WorksProbed,
            },
            Mode::Advisory
        ));
        assert!(
            seen.iter()
                .any(|world| world.old == Old::Works && world.mode == Mode::Both)
        );
        assert!(seen.len() > 400, "{style:?}: {}", seen.len());
    }
}

#[test]
fn without_the_second_look_at_the_mode_two_work() {
    let way = fails(
        "the mode was read before the key was granted",
        Rules {
            looks_at_the_mode: false,
            looks_for_a_lease: false,
            ..Rules::of(Style::Hold)
        },
    );
    assert!(
        way.contains(&"operator: both to lease".to_owned()),
        "{way:#?}"
    );
}

#[test]
fn a_look_for_leases_does_not_replace_the_look_at_the_mode() {
    fails(
        "a lease may be taken once the look is over",
        Rules {
            looks_at_the_mode: false,
            ..Rules::of(Style::Hold)
        },
    );
}

#[test]
fn where_the_key_is_only_asked_for_the_look_must_be_for_a_lease_too() {
    let blind = |style| Rules {
        looks_for_a_lease: false,
        ..Rules::of(style)
    };
    fails("a probed lease holds no key", blind(Style::Probe));
    assert!(explore(blind(Style::Hold)).is_ok(), "a held key is enough");
}

#[test]
fn no_gate_can_be_left_out() {
    for style in [Style::Hold, Style::Probe] {
        let whole = Rules::of(style);
        fails("a key is held", whole.without(Mode::Lease, Gate::KeyFree));
        fails(
            "old code may run",
            Rules {
                old_code_ends_first: false,
                ..whole
            },
        );
    }
    // Old code does not look for leases: it must find the key taken.
    fails(
        "a lease without the key",
        Rules::of(Style::Hold).without(Mode::Advisory, Gate::LeaseBridged),
    );
    // The other way it keeps nobody apart: it shows that all that takes leases also takes the key.
    assert!(explore(Rules::of(Style::Hold).without(Mode::Lease, Gate::LeaseBridged)).is_ok());
}

#[test]
fn old_code_must_not_come_back_while_a_lease_lacks_the_key() {
    fails(
        "a lease of mode `lease` runs on in `both`",
        Rules {
            old_code_starts_when_settled: false,
            ..Rules::of(Style::Hold)
        },
    );
}

#[test]
fn the_key_is_held_before_the_work_begins() {
    fails(
        "the lease alone keeps no old code out",
        Rules {
            bridges_before_work: false,
            ..Rules::of(Style::Hold)
        },
    );
}

#[test]
fn the_mode_is_compared_again_when_the_lease_is_granted() {
    for style in [Style::Hold, Style::Probe] {
        fails(
            "the mode may have changed since it was read",
            Rules {
                takes_in_the_mode_it_read: false,
                ..Rules::of(style)
            },
        );
    }
}
