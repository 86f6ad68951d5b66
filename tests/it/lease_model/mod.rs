//! The lease protocol as a model: every order in which calls, losses, pauses, crashes and failovers can
//! come for one name, over any length of time.

mod explorer;
mod flaw;
mod holder;
mod invariant;
mod server;
mod world;

use explorer::{Explored, explore};
use flaw::{FLAWS, Flaw};
use server::Statement;
use world::{Replication, Scope, Step, World};

/// One server that is restarted now and then, three names and a statement at a time.
const ONE_SERVER: Scope = Scope {
    flaw: Flaw::None,
    replication: Replication::None,
    wire: 1,
    tokens: 2,
    crashes: true,
    breaks: false,
};

const BROKEN: Scope = Scope {
    wire: 2,
    tokens: 3,
    crashes: false,
    breaks: true,
    ..ONE_SERVER
};

const SYNCHRONOUS: Scope = Scope {
    replication: Replication::Synchronous,
    crashes: false,
    ..ONE_SERVER
};

const ASYNCHRONOUS: Scope = Scope {
    replication: Replication::Asynchronous,
    crashes: false,
    ..ONE_SERVER
};

#[test]
fn three_holders_are_kept_apart_whatever_is_lost_late_paused_or_restarted() {
    let explored = sound::<3>(ONE_SERVER);
    assert_eq!(explored.way_to(two_work), None);
}

#[test]
fn a_late_statement_beside_a_new_one_does_no_harm() {
    let explored = sound::<2>(Scope {
        wire: 2,
        ..ONE_SERVER
    });
    assert_eq!(explored.way_to(two_work), None);
}

#[test]
fn a_synchronous_standby_keeps_them_apart_across_a_failover() {
    let explored = sound::<2>(SYNCHRONOUS);
    assert_eq!(explored.way_to(two_work), None);
    assert!(
        explored
            .way_to(|world| world.timeline == 1 && world.workers().count() == 1)
            .is_some()
    );
}

/// The documented exception, and nothing else: the invariants hold, and whoever has not heard from the
/// new primary has the lower token.
#[test]
fn an_asynchronous_failover_leaves_two_at_work_until_the_first_renews() {
    let explored = sound::<2>(ASYNCHRONOUS);
    let way = explored.way_to(two_work).expect("the exception is real");
    use Step::{Apply, FailOver, Receive, Send};
    let last = [Send(1, Statement::Take), Apply(1), Receive(1)];
    assert!(way.contains(&FailOver) && way.ends_with(&last), "{way:?}");
    for world in explored.states().filter(|world| two_work(world)) {
        the_first_has_the_lower_token_and_stops_at_its_next_renewal(world);
    }
}

#[test]
fn a_broken_lease_is_worked_under_until_its_holder_renews() {
    let explored = sound::<2>(BROKEN);
    assert!(explored.way_to(two_work).is_some());
    for world in explored.states().filter(|world| two_work(world)) {
        the_first_has_the_lower_token_and_stops_at_its_next_renewal(world);
    }
}

#[test]
fn without_any_one_guard_an_invariant_breaks() {
    for (flaw, expected) in FLAWS {
        let scope = Scope {
            flaw,
            wire: 2,
            ..ASYNCHRONOUS
        };
        let found = explore(World::<2>::first(scope)).trouble;
        let trouble = found.unwrap_or_else(|| panic!("{flaw:?} does no harm"));
        assert_eq!(trouble.what, expected, "{flaw:?}: {:?}", trouble.trace);
    }
}

/// All states, in each of which everything held.
#[track_caller]
fn sound<const N: usize>(scope: Scope) -> Explored<World<N>> {
    let explored = explore(World::<N>::first(scope));
    if let Some(trouble) = &explored.trouble {
        panic!("{:?} after {:?}", trouble.what, trouble.trace);
    }
    explored
}

fn two_work<const N: usize>(world: &World<N>) -> bool {
    world.workers().count() > 1
}

#[track_caller]
fn the_first_has_the_lower_token_and_stops_at_its_next_renewal(world: &World<2>) {
    let token = |name: usize| world.holders[name].belief.expect("it works").token;
    let (first, second) = if world.is_informed(0) { (1, 0) } else { (0, 1) };
    assert!(
        !world.is_informed(first) && world.is_informed(second),
        "{world:?}"
    );
    assert!(token(first) < token(second), "{world:?}");
    let renewed = world.renewed_by(first);
    assert_eq!(renewed.workers().collect::<Vec<_>>(), [second], "{world:?}");
}
