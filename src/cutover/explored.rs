//! Every order of the small steps of old code, two of new code and an operator, on one name: nobody ever
//! works beside another. And each rule is needed: without it, an order is found in which two do.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use super::gate::{Gate, Moment, shut_now};
use super::look::{Verdict, once_the_key_is_held};
use super::{Direction, Step};
use crate::lease::{Held, Holder, Mode, Seen, Standing, Token};

/// What a worker that takes leases does about the key in mode `both`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Holds it, shared.
    Hold,
    /// Asks for it as it takes the lease; old code looks for a lease once it has the key.
    Probe,
}

/// The rules of the protocol; a test leaves one out.
#[derive(Debug, Clone, Copy)]
struct Rules {
    style: Style,
    looks_at_the_mode: bool,
    looks_for_a_lease: bool,
    /// Left out of the steps to this mode.
    without: Option<(Mode, Gate)>,
    /// A name is not taken to `lease` while old code may still run.
    old_code_ends_first: bool,
    /// Old code starts again only in `advisory`, or in `both` while no lease lacks the key.
    old_code_starts_when_settled: bool,
    bridges_before_work: bool,
    /// `take.sql` compares the mode again under the row's lock.
    takes_in_the_mode_it_read: bool,
}

impl Rules {
    fn of(style: Style) -> Self {
        Self {
            style,
            looks_at_the_mode: true,
            looks_for_a_lease: true,
            without: None,
            old_code_ends_first: true,
            old_code_starts_when_settled: true,
            bridges_before_work: true,
            takes_in_the_mode_it_read: true,
        }
    }

    fn without(self, to: Mode, gate: Gate) -> Self {
        Self {
            without: Some((to, gate)),
            ..self
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Old {
    Gone,
    Idle,
    /// It has the key, and will look for a lease if it is made to.
    HasKey,
    Works,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum New {
    Idle,
    /// What it read may be old by the time it acts.
    Read(Mode),
    HasKey,
    WorksByKey,
    /// Granted in `both`, and not bridged yet.
    HasLease,
    HasBoth,
    WorksBridged,
    WorksByLease,
    WorksProbed,
}

impl New {
    fn works(self) -> bool {
        use New::{WorksBridged, WorksByKey, WorksByLease, WorksProbed};
        matches!(self, WorksByKey | WorksBridged | WorksByLease | WorksProbed)
    }

    fn has_key_alone(self) -> bool {
        matches!(self, Self::HasKey | Self::WorksByKey)
    }

    fn shares_key(self) -> bool {
        matches!(self, Self::HasBoth | Self::WorksBridged)
    }

    fn works_by_lease(self) -> bool {
        self.works() && self != Self::WorksByKey
    }
}

/// A row's lease; the worker that had it may have died.
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

impl World {
    fn start() -> Self {
        Self {
            mode: Mode::Advisory,
            lease: None,
            old: Old::Idle,
            new: [New::Idle; 2],
        }
    }

    fn key_is_exclusive(&self) -> bool {
        matches!(self.old, Old::HasKey | Old::Works)
            || self.new.iter().any(|new| new.has_key_alone())
    }

    fn key_is_free(&self) -> bool {
        !self.key_is_exclusive() && !self.new.iter().any(|new| new.shares_key())
    }

    fn leased_to(&self, worker: usize) -> bool {
        self.lease.is_some_and(|lease| lease.worker == Some(worker))
    }

    fn bridged(&self) -> bool {
        self.lease.is_none_or(|lease| lease.bridged)
    }

    fn at_work(&self) -> usize {
        let new = self.new.iter().filter(|new| new.works()).count();
        new + usize::from(self.old == Old::Works)
    }

    /// As `probe.sql` shows it.
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

    fn with(self, worker: usize, now: New) -> Self {
        let mut next = self;
        next.new[worker] = now;
        next
    }

    fn with_lease(self, worker: usize, bridged: bool) -> Self {
        Self {
            lease: Some(Lease {
                worker: Some(worker),
                bridged,
            }),
            ..self
        }
    }
}

type Next = (String, World);

fn all(world: World, rules: Rules) -> Vec<Next> {
    let mut next = operator(world, rules);
    next.extend(old_code(world, rules));
    next.extend((0..2).flat_map(|worker| new_code(world, rules, worker)));
    next.extend(expiry(world));
    next
}

fn operator(world: World, rules: Rules) -> Vec<Next> {
    let ways = [Direction::Advance, Direction::Rollback];
    let steps = ways.iter().filter_map(|way| Step::of(*way, world.mode));
    let moment = Moment {
        key_known: true,
        key_free: !world.key_is_exclusive(),
        bridged: world.bridged(),
    };
    steps
        .filter(|step| {
            let shut = shut_now(*step, moment).into_iter();
            shut.filter(|gate| Some((step.to, *gate)) != rules.without)
                .count()
                == 0
        })
        .filter(|step| {
            step.to != Mode::Lease || !rules.old_code_ends_first || world.old == Old::Gone
        })
        .map(|step| {
            let said = format!("operator: {} to {}", step.from.as_str(), step.to.as_str());
            (
                said,
                World {
                    mode: step.to,
                    ..world
                },
            )
        })
        .collect()
}

fn old_code(world: World, rules: Rules) -> Vec<Next> {
    let may_start = match world.mode {
        Mode::Advisory => true,
        Mode::Both => world.bridged() || !rules.old_code_starts_when_settled,
        Mode::Lease => false,
    };
    let next = match world.old {
        Old::Gone if may_start => vec![Old::Idle],
        Old::Gone => vec![],
        Old::Idle if world.key_is_free() => vec![Old::Gone, Old::HasKey],
        Old::Idle => vec![Old::Gone],
        // Only for new code that probes is old code made to look.
        Old::HasKey if rules.style == Style::Probe && world.lease.is_some() => vec![Old::Idle],
        Old::HasKey => vec![Old::Works],
        Old::Works => vec![Old::Idle],
    };
    let said = |old| (format!("old code: {old:?}"), World { old, ..world });
    next.into_iter().map(said).collect()
}

fn new_code(world: World, rules: Rules, worker: usize) -> Vec<Next> {
    let to = |now| world.with(worker, now);
    let mut next = match world.new[worker] {
        New::Idle => vec![to(New::Read(world.mode))],
        New::Read(Mode::Advisory) if world.key_is_free() => vec![to(New::HasKey)],
        New::Read(Mode::Advisory) => vec![],
        New::Read(mode) => take(world, rules, worker, mode),
        New::HasKey => vec![to(looked(world, rules))],
        New::HasLease if !rules.bridges_before_work => vec![to(New::WorksBridged)],
        New::HasLease if world.key_is_exclusive() => vec![],
        New::HasLease => vec![to(New::HasBoth)],
        New::HasBoth if world.leased_to(worker) => {
            vec![to(New::WorksBridged).with_lease(worker, true)]
        }
        _ => vec![],
    };
    // It ends, gives up, or dies: its sessions go, and its lease goes with it or runs on without it.
    if world.new[worker] != New::Idle {
        let (mut ended, mut died) = (to(New::Idle), to(New::Idle));
        if world.leased_to(worker) {
            ended.lease = None;
            died.lease = died.lease.map(|lease| Lease {
                worker: None,
                ..lease
            });
        }
        next.extend([ended, died]);
    }
    next.into_iter()
        .map(|next| (format!("new {worker}: {:?}", next.new[worker]), next))
        .collect()
}

/// `take.sql`: one statement, but what it read before it had the row's lock may be old.
fn take(world: World, rules: Rules, worker: usize, mode: Mode) -> Vec<World> {
    let same = world.mode == mode || !rules.takes_in_the_mode_it_read;
    if world.lease.is_some() || !same {
        return vec![];
    }
    let granted = |now, bridged| vec![world.with(worker, now).with_lease(worker, bridged)];
    match (mode, rules.style) {
        (Mode::Lease, _) => granted(New::WorksByLease, false),
        (_, Style::Hold) => granted(New::HasLease, false),
        (_, Style::Probe) if !world.key_is_exclusive() => granted(New::WorksProbed, true),
        (_, Style::Probe) => vec![],
    }
}

fn looked(world: World, rules: Rules) -> New {
    let mut seen = world.seen();
    if !rules.looks_at_the_mode {
        seen.mode = Mode::Advisory;
    }
    if !rules.looks_for_a_lease {
        seen.held = None;
    }
    match once_the_key_is_held(Some(&seen)) {
        Verdict::Work => New::WorksByKey,
        Verdict::ModeIs(_) | Verdict::Leased => New::Idle,
    }
}

/// Whoever works renews, or stops before the end; anybody else may sleep past it.
fn expiry(world: World) -> Vec<Next> {
    let worker = world.lease.and_then(|lease| lease.worker);
    let works = worker.is_some_and(|worker| world.new[worker].works_by_lease());
    match world.lease.is_some() && !works {
        true => vec![(
            "the lease runs out".to_owned(),
            World {
                lease: None,
                ..world
            },
        )],
        false => vec![],
    }
}

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
