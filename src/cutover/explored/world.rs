//! One name: its row, its key, old code and two of new code, and where each of them is.

use std::time::Duration;

use crate::lease::{Held, Holder, Mode, Seen, Standing, Token};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Old {
    Gone,
    Idle,
    /// It has the key, and will look for a lease if it is made to.
    HasKey,
    Works,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum New {
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
    pub(super) fn works(self) -> bool {
        use New::{WorksBridged, WorksByKey, WorksByLease, WorksProbed};
        matches!(self, WorksByKey | WorksBridged | WorksByLease | WorksProbed)
    }

    pub(super) fn has_key_alone(self) -> bool {
        matches!(self, Self::HasKey | Self::WorksByKey)
    }

    pub(super) fn shares_key(self) -> bool {
        matches!(self, Self::HasBoth | Self::WorksBridged)
    }

    pub(super) fn works_by_lease(self) -> bool {
        self.works() && self != Self::WorksByKey
    }
}

/// A row's lease; the worker that had it may have died.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Lease {
    pub(super) worker: Option<usize>,
    pub(super) bridged: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct World {
    pub(super) mode: Mode,
    pub(super) lease: Option<Lease>,
    pub(super) old: Old,
    pub(super) new: [New; 2],
}

impl World {
    pub(super) fn start() -> Self {
        Self {
            mode: Mode::Advisory,
            lease: None,
            old: Old::Idle,
            new: [New::Idle; 2],
        }
    }

    pub(super) fn key_is_exclusive(&self) -> bool {
        matches!(self.old, Old::HasKey | Old::Works)
            || self.new.iter().any(|new| new.has_key_alone())
    }

    pub(super) fn key_is_free(&self) -> bool {
        !self.key_is_exclusive() && !self.new.iter().any(|new| new.shares_key())
    }

    pub(super) fn leased_to(&self, worker: usize) -> bool {
        self.lease.is_some_and(|lease| lease.worker == Some(worker))
    }

    pub(super) fn bridged(&self) -> bool {
        self.lease.is_none_or(|lease| lease.bridged)
    }

    pub(super) fn at_work(&self) -> usize {
        let new = self.new.iter().filter(|new| new.works()).count();
        new + usize::from(self.old == Old::Works)
    }

    /// As `probe.sql` shows it.
    pub(super) fn seen(&self) -> Seen {
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

    pub(super) fn with(self, worker: usize, now: New) -> Self {
        let mut next = self;
        next.new[worker] = now;
        next
    }

    pub(super) fn with_lease(self, worker: usize, bridged: bool) -> Self {
        Self {
            lease: Some(Lease {
                worker: Some(worker),
                bridged,
            }),
            ..self
        }
    }
}
