//! What the server showed before the console was read: a finding needs it to be so before and after.

use std::collections::{HashMap, HashSet};
use std::time::SystemTime;

use crate::hold::Hold;
use crate::key::AdvisoryTag;
use crate::snapshot::{LockMode, Session, Snapshot};

#[derive(Debug, PartialEq, Eq, Hash)]
struct HoldId {
    pid: i32,
    /// Hidden in both samples or in neither.
    backend_start: Option<SystemTime>,
    database: u32,
    tag: AdvisoryTag,
    mode: LockMode,
}

/// Whether a hold was outside any transaction.
#[derive(Debug, Clone, Copy)]
struct Rest {
    /// In the sample before.
    just_now: bool,
    /// In any of the samples that show it without a gap up to the one before.
    ever: bool,
}

/// The holds and the waits of the sample before.
#[derive(Debug, Default)]
pub(super) struct Agreement {
    holds: HashMap<HoldId, Rest>,
    waits: HashSet<(i32, Option<SystemTime>)>,
}

impl Agreement {
    /// Of the samples before the one that is judged, oldest first.
    pub fn of(earlier: &[Snapshot]) -> Self {
        let mut held: HashMap<HoldId, Rest> = HashMap::new();
        for snapshot in earlier {
            let now = holds(snapshot).map(|(id, rests)| {
                let before = held.get(&id).is_some_and(|rest| rest.ever);
                let rest = Rest {
                    just_now: rests,
                    ever: rests || before,
                };
                (id, rest)
            });
            held = now.collect();
        }
        Self {
            holds: held,
            waits: earlier.last().map(waits).unwrap_or_default(),
        }
    }

    pub fn waited_before(&self, session: &Session) -> bool {
        let id = (session.pid, session.backend_start);
        self.waits.contains(&id)
    }

    pub fn held_before(&self, hold: &Hold<'_>) -> bool {
        self.before(hold).is_some()
    }

    pub fn rested_before(&self, hold: &Hold<'_>) -> bool {
        self.before(hold).is_some_and(|rest| rest.just_now)
    }

    /// Whether it was seen to be the session's since it has been there without a gap.
    pub fn rested_once(&self, hold: &Hold<'_>) -> bool {
        self.before(hold).is_some_and(|rest| rest.ever)
    }

    fn before(&self, hold: &Hold<'_>) -> Option<Rest> {
        let session = hold.holder.session()?;
        let id = HoldId {
            pid: session.pid,
            backend_start: session.backend_start,
            database: hold.database,
            tag: hold.tag,
            mode: hold.lock.mode.clone(),
        };
        self.holds.get(&id).copied()
    }
}

fn holds(snapshot: &Snapshot) -> impl Iterator<Item = (HoldId, bool)> {
    let granted = snapshot.locks.iter().filter(|lock| lock.granted);
    granted.filter_map(|lock| {
        let (database, tag) = lock.target.advisory()?;
        let session = snapshot.session(lock.owner.pid()?)?;
        let id = HoldId {
            pid: session.pid,
            backend_start: session.backend_start,
            database,
            tag,
            mode: lock.mode.clone(),
        };
        let rests = session.rests_outside(lock.virtualtransaction);
        Some((id, rests))
    })
}

fn waits(snapshot: &Snapshot) -> HashSet<(i32, Option<SystemTime>)> {
    let waiting = snapshot.locks.iter().filter(|lock| !lock.granted);
    waiting
        .filter_map(|lock| snapshot.session(lock.owner.pid()?))
        .map(|session| (session.pid, session.backend_start))
        .collect()
}
