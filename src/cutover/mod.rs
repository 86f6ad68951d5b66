//! The way of a name from its advisory key to its lease, and back, one mode at a time.
//!
//! Old code knows the key alone. New code does what the name's mode says. In no state of a name may two
//! of them work at once: [`gate`] says when a name may go on, [`look`] what new code looks at, and the
//! test beside them walks through every order of their small steps.

pub mod admission;
pub mod commands;
pub mod double_work;
#[cfg(test)]
mod explored;
pub mod fence;
pub mod gate;
pub mod look;
pub mod outlook;
pub mod readiness;
pub mod seed;

use std::time::Duration;

pub use gate::{Gate, Judged, State};

use crate::key::AdvisoryKey;
use crate::lease::{Holder, Mode, Name};
use crate::snapshot::LockMode;

/// From one mode to the one beside it: no other change is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Step {
    pub from: Mode,
    pub to: Mode,
}

/// Which way a name goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Towards the lease alone.
    Advance,
    /// Back towards the key alone.
    Rollback,
}

impl Step {
    /// Nothing at the end of the way.
    pub fn of(direction: Direction, from: Mode) -> Option<Self> {
        let to = match (direction, from) {
            (Direction::Advance, Mode::Advisory) | (Direction::Rollback, Mode::Lease) => Mode::Both,
            (Direction::Advance, Mode::Both) => Mode::Lease,
            (Direction::Rollback, Mode::Both) => Mode::Advisory,
            (Direction::Advance, Mode::Lease) | (Direction::Rollback, Mode::Advisory) => {
                return None;
            }
        };
        Some(Self { from, to })
    }

    /// What a person has to know, or to do, once it is made.
    pub fn afterwards(self) -> &'static str {
        match (self.from, self.to) {
            (Mode::Advisory, _) => {
                "new code takes the lease, and the old key beside it; old code may run until the last of it is replaced"
            }
            (Mode::Both, Mode::Lease) => {
                "the lease alone counts: start no old code, also not by a rollback of the deploy, before the name is back in `both`"
            }
            (Mode::Both, _) => {
                "the key alone counts again, and nobody gets a lease: old code may run"
            }
            (Mode::Lease, _) => "start no old code before every lease is bridged",
        }
    }
}

/// Where a name stands, and what is known of old code.
#[derive(Debug, Clone, PartialEq)]
pub struct Position {
    pub name: Name,
    pub mode: Mode,
    /// How long it has been in that mode; `None` where the log does not say.
    pub mode_for: Option<Duration>,
    /// `None` once the migration is finished.
    pub key: Option<AdvisoryKey>,
    /// Unless it is free, or has run out.
    pub lease: Option<LiveLease>,
    /// On the old key, now, of whatever session.
    pub locks: Vec<KeyLock>,
    /// `None`: nobody has looked yet.
    pub watched: Option<Watched>,
}

impl Position {
    /// Whoever holds the old key exclusively, or waits for it so: what old code does.
    pub fn old_users(&self) -> impl Iterator<Item = &KeyLock> {
        let locks = self.locks.iter();
        locks.filter(|lock| lock.mode == LockMode::Exclusive)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct LiveLease {
    pub holder: Holder,
    pub remaining: Duration,
    /// Whether its holder has the old key beside it, or asked for it.
    pub bridged: bool,
}

/// A lock on the old key, held or waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyLock {
    /// `None`: a prepared transaction.
    pub pid: Option<i32>,
    pub application: Option<String>,
    pub mode: LockMode,
    pub granted: bool,
}

/// What was seen of old code while somebody looked, all of it so long ago.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watched {
    /// The last look.
    pub ago: Duration,
    /// Somebody has looked all that time, and saw nobody hold or wait for the key.
    pub quiet_for: Duration,
    /// When somebody was seen last.
    pub seen_ago: Option<Duration>,
    /// No further advisory call was counted for that long; `None`: calls can't be counted.
    pub calls_quiet_for: Option<Duration>,
    /// When the fence last looked.
    pub fenced_ago: Option<Duration>,
}

/// How often statements of the database have taken advisory locks exclusively.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Calls {
    Counted {
        calls: u64,
        /// Since the counters were reset; `None` where the server does not say when that was.
        for_so_long: Option<Duration>,
    },
    /// Why they can't be counted.
    Unseen(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_way_and_it_leads_through_both() {
        let walk = |direction| {
            let mut modes = vec![Mode::Advisory, Mode::Both, Mode::Lease];
            modes.retain(|mode| Step::of(direction, *mode).is_some());
            let steps = modes
                .into_iter()
                .filter_map(|mode| Step::of(direction, mode));
            steps.map(|step| (step.from, step.to)).collect::<Vec<_>>()
        };
        use Mode::{Advisory, Both, Lease};
        assert_eq!(walk(Direction::Advance), [(Advisory, Both), (Both, Lease)]);
        assert_eq!(walk(Direction::Rollback), [(Both, Advisory), (Lease, Both)]);
    }
}
