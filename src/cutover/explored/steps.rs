//! What each of them may do next, by the rules of the protocol.

use super::world::{Lease, New, Old, World};
use crate::cutover::gate::{Gate, Moment, shut_now};
use crate::cutover::look::{Verdict, once_the_key_is_held};
use crate::cutover::{Direction, Step};
use crate::lease::Mode;

/// What a worker that takes leases does about the key in mode `both`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Holds it, shared.
    Hold,
    /// Asks for it as it takes the lease; old code looks for a lease once it has the key.
    Probe,
}

/// The rules of the protocol; a test leaves one out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    pub(super) style: Style,
    pub(super) looks_at_the_mode: bool,
    pub(super) looks_for_a_lease: bool,
    /// Left out of the steps to this mode.
    pub(super) without: Option<(Mode, Gate)>,
    /// A name is not taken to `lease` while old code may still run.
    pub(super) old_code_ends_first: bool,
    /// Old code starts again only in `advisory`, or in `both` while no lease lacks the key.
    pub(super) old_code_starts_when_settled: bool,
    pub(super) bridges_before_work: bool,
    /// `take.sql` compares the mode again under the row's lock.
    pub(super) takes_in_the_mode_it_read: bool,
}

impl Rules {
    pub(super) fn of(style: Style) -> Self {
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

    pub(super) fn without(self, to: Mode, gate: Gate) -> Self {
        Self {
            without: Some((to, gate)),
            ..self
        }
    }
}

pub(super) type Next = (String, World);

pub(super) fn all(world: World, rules: Rules) -> Vec<Next> {
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
