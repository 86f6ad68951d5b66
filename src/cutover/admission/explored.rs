//! Every order of the steps of two that get in by this, old code and an operator: nobody ever works beside
//! another, whoever waits has nothing, and nobody is stuck with what it has.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use super::{Admission, Came, Footing, Hold, Next, Way};
use crate::cutover::gate::{Moment, shut_now};
use crate::cutover::{Direction, Step};
use crate::lease::{Held, Holder, Mode, Seen, Standing, Token};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Old {
    Gone,
    Idle,
    HasKey,
    Works,
}

/// Somebody who gets in, and what it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct New {
    admission: Option<Admission>,
    key: Option<Hold>,
    /// The mode when it looked first.
    looked: Mode,
}

/// The worker may have died, or may not know that it was granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Lease {
    worker: Option<usize>,
    bridged: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct World {
    mode: Mode,
    lease: Option<Lease>,
    old: Old,
    new: [New; 2],
}

#[derive(Debug, Clone, Copy)]
struct Rules {
    way: Way,
    looks_again: bool,
}

const IDLE: New = New {
    admission: None,
    key: None,
    looked: Mode::Advisory,
};

impl New {
    fn footing(&self) -> Option<Footing> {
        match self.admission?.next() {
            Next::Work(footing) => Some(footing),
            _ => None,
        }
    }
}

impl World {
    fn key_is(&self, hold: Hold) -> bool {
        let old = hold == Hold::Exclusive && matches!(self.old, Old::HasKey | Old::Works);
        old || self.new.iter().any(|new| new.key == Some(hold))
    }

    fn is_ours(&self, worker: usize) -> bool {
        self.lease.is_some_and(|lease| lease.worker == Some(worker))
    }

    fn bridged(&self) -> bool {
        self.lease.is_none_or(|lease| lease.bridged)
    }

    fn at_work(&self) -> usize {
        let new = self.new.iter().filter(|new| new.footing().is_some());
        new.count() + usize::from(self.old == Old::Works)
    }

    fn seen(&self) -> Seen {
        Seen {
            held: self.lease.map(|_| Held {
                holder: Holder::of("host", 7, 1),
                standing: Standing::Valid {
                    remaining: Duration::from_secs(1),
                },
            }),
            token: Token(1),
            mode: self.mode,
        }
    }

    fn after(mut self, worker: usize, came: Came<'_>) -> Self {
        let admission = self.new[worker].admission.expect("it is at it");
        self.new[worker].admission = Some(admission.came(came));
        self
    }

    fn with_key(mut self, worker: usize, key: Option<Hold>) -> Self {
        self.new[worker].key = key;
        self
    }
}

fn successors(world: World, rules: Rules) -> Vec<World> {
    let mut next = operator(world);
    next.extend(old_code(world, rules));
    next.extend(expiry(world));
    next.extend((0..2).flat_map(|worker| new_code(world, rules, worker)));
    next
}

fn operator(world: World) -> Vec<World> {
    let moment = Moment {
        key_known: true,
        key_free: !world.key_is(Hold::Exclusive),
        bridged: world.bridged(),
    };
    let steps = [Direction::Advance, Direction::Rollback];
    let steps = steps.iter().filter_map(|way| Step::of(*way, world.mode));
    steps
        .filter(|step| shut_now(*step, moment).is_empty())
        .filter(|step| step.to != Mode::Lease || world.old == Old::Gone)
        .map(|step| World {
            mode: step.to,
            ..world
        })
        .collect()
}

fn old_code(world: World, rules: Rules) -> Vec<World> {
    let may_start = match world.mode {
        Mode::Advisory => true,
        Mode::Both => world.bridged(),
        Mode::Lease => false,
    };
    let key_is_free = !world.key_is(Hold::Exclusive) && !world.key_is(Hold::Shared);
    let next = match world.old {
        Old::Gone if may_start => vec![Old::Idle],
        Old::Idle if key_is_free => vec![Old::Gone, Old::HasKey],
        Old::Idle => vec![Old::Gone],
        Old::HasKey if rules.way == Way::Probe && world.lease.is_some() => vec![Old::Idle],
        Old::HasKey => vec![Old::Works],
        Old::Works => vec![Old::Idle],
        Old::Gone => vec![],
    };
    next.into_iter().map(|old| World { old, ..world }).collect()
}

/// Any lease may run out but that of somebody at work, whom a clock stops before.
fn expiry(world: World) -> Option<World> {
    let worker = world.lease?.worker;
    let footing = worker.and_then(|worker| world.new[worker].footing());
    (!footing.is_some_and(Footing::has_lease)).then_some(World {
        lease: None,
        ..world
    })
}

fn new_code(world: World, rules: Rules, worker: usize) -> Vec<World> {
    let Some(admission) = world.new[worker].admission else {
        let mut begun = world;
        begun.new[worker].admission = Some(Admission::begun(rules.way));
        return vec![begun];
    };
    let failed = world.after(worker, Came::Failed);
    let (seen, key) = (world.seen(), world.new[worker].key);
    let mut next = match admission.next() {
        Next::Take => take(world, rules, worker),
        Next::Look => {
            let mut looked = world;
            looked.new[worker].looked = world.mode;
            vec![looked.after(worker, Came::Seen(Some(&seen))), failed]
        }
        Next::GetKey(hold) => {
            let others = world.key_is(Hold::Exclusive)
                || hold == Hold::Exclusive && world.key_is(Hold::Shared);
            let got = world.with_key(worker, Some(hold));
            match others {
                true => vec![world.after(worker, Came::KeyBusy), failed],
                false => vec![
                    got.after(worker, Came::KeyGot),
                    got.after(worker, Came::Failed),
                    failed,
                ],
            }
        }
        Next::LookAgain => {
            let stale = Seen {
                mode: world.new[worker].looked,
                ..seen.clone()
            };
            let seen = if rules.looks_again { &seen } else { &stale };
            vec![world.after(worker, Came::Seen(Some(seen))), failed]
        }
        Next::Bridge if world.is_ours(worker) => {
            let mut bridged = world;
            bridged.lease.as_mut().expect("it is ours").bridged = true;
            vec![bridged.after(worker, Came::Bridged), failed]
        }
        Next::Bridge => vec![world.after(worker, Came::LeaseLost), failed],
        Next::GiveKeyBack => vec![world.with_key(worker, None).after(worker, Came::GivenBack)],
        Next::ReleaseLease => {
            let kept = world.lease.filter(|_| !world.is_ours(worker));
            let released = World {
                lease: kept,
                ..world
            };
            // Where that fails it runs out.
            vec![released.after(worker, Came::GivenBack), failed]
        }
        Next::Wait(_) => {
            assert_eq!(key, None, "whoever waits has no key: {world:?}");
            vec![]
        }
        Next::Work(footing) => {
            assert_eq!(footing.has_key(), key.is_some(), "{world:?}");
            assert_eq!(footing.has_lease(), world.is_ours(worker), "{world:?}");
            vec![]
        }
    };
    next.push(died(world, worker));
    if admission.next() != Next::Take {
        next.push(ended(world, worker));
    }
    next
}

fn take(world: World, rules: Rules, worker: usize) -> Vec<World> {
    let key_is_free = !world.key_is(Hold::Exclusive);
    let open = match (world.mode, rules.way) {
        (Mode::Advisory, _) => false,
        (Mode::Lease, _) | (Mode::Both, Way::Hold) => true,
        (Mode::Both, Way::Probe) => key_is_free,
    };
    let refused = world.after(worker, Came::NotGranted);
    let failed = world.after(worker, Came::Failed);
    if world.lease.is_some() || !open {
        return vec![refused, failed];
    }
    let lease = Lease {
        worker: Some(worker),
        bridged: world.mode == Mode::Both && rules.way == Way::Probe,
    };
    let granted = World {
        lease: Some(lease),
        ..world
    };
    let mut unknown = granted.after(worker, Came::Failed);
    unknown.lease = Some(Lease {
        worker: None,
        ..lease
    });
    vec![
        granted.after(worker, Came::Granted(world.mode)),
        unknown,
        failed,
    ]
}

fn died(mut world: World, worker: usize) -> World {
    if world.is_ours(worker) {
        world.lease = world.lease.map(|lease| Lease {
            worker: None,
            ..lease
        });
    }
    world.new[worker] = IDLE;
    world
}

fn ended(mut world: World, worker: usize) -> World {
    if world.is_ours(worker) {
        world.lease = None;
    }
    world.new[worker] = IDLE;
    world
}

/// All that can be, and the first in which two are at work.
fn explored(rules: Rules) -> (HashSet<World>, Option<World>) {
    let first = World {
        mode: Mode::Advisory,
        lease: None,
        old: Old::Idle,
        new: [IDLE; 2],
    };
    let (mut known, mut open) = (HashSet::from([first]), VecDeque::from([first]));
    while let Some(world) = open.pop_front() {
        if world.at_work() > 1 {
            return (known, Some(world));
        }
        for next in successors(world, rules) {
            if known.insert(next) {
                open.push_back(next);
            }
        }
    }
    (known, None)
}

#[test]
fn nobody_works_beside_another_in_any_order() {
    for way in [Way::Hold, Way::Probe] {
        let rules = Rules {
            way,
            looks_again: true,
        };
        let (known, two) = explored(rules);
        assert_eq!(two, None);
        assert!(known.len() > 3_000, "{} states are not all", known.len());
        let footings: HashSet<Footing> = known
            .iter()
            .flat_map(|world| world.new.iter().filter_map(New::footing))
            .collect();
        let all = match way {
            Way::Hold => vec![Footing::Lease, Footing::LeaseAndKey, Footing::Key],
            Way::Probe => vec![Footing::Lease, Footing::Key],
        };
        assert_eq!(footings, all.into_iter().collect());
    }
}

#[test]
fn whoever_does_not_look_again_works_beside_another() {
    let rules = Rules {
        way: Way::Hold,
        looks_again: false,
    };
    let (_, two) = explored(rules);
    assert!(two.is_some(), "the look is needed");
}
