//! What the server showed before the console was read: a finding needs it to be so before and after.

use std::collections::HashMap;
use std::time::SystemTime;

use crate::hold::Hold;
use crate::key::AdvisoryTag;
use crate::snapshot::{LockMode, Snapshot};

#[derive(Debug, PartialEq, Eq, Hash)]
struct HoldId {
    pid: i32,
    /// Hidden in both samples or in neither.
    backend_start: Option<SystemTime>,
    database: u32,
    tag: AdvisoryTag,
    mode: LockMode,
}

/// The holds of the sample before, and whether each was outside any transaction.
#[derive(Debug, Default)]
pub(super) struct Agreement(HashMap<HoldId, bool>);

impl Agreement {
    pub fn of(earlier: &[Snapshot]) -> Self {
        let Some(before) = earlier.last() else {
            return Self::default();
        };
        let holds = before.locks.iter().filter(|lock| lock.granted);
        let known = holds.filter_map(|lock| {
            let (database, tag) = lock.target.advisory()?;
            let session = before.session(lock.owner.pid()?)?;
            let id = HoldId {
                pid: session.pid,
                backend_start: session.backend_start,
                database,
                tag,
                mode: lock.mode.clone(),
            };
            let rests = lock.virtualtransaction.is_outside_transaction() && !session.is_active();
            Some((id, rests))
        });
        Self(known.collect())
    }

    pub fn held_before(&self, hold: &Hold<'_>) -> bool {
        self.before(hold).is_some()
    }

    pub fn rested_before(&self, hold: &Hold<'_>) -> bool {
        self.before(hold) == Some(true)
    }

    fn before(&self, hold: &Hold<'_>) -> Option<bool> {
        let session = hold.holder.session()?;
        let id = HoldId {
            pid: session.pid,
            backend_start: session.backend_start,
            database: hold.database,
            tag: hold.tag,
            mode: hold.lock.mode.clone(),
        };
        self.0.get(&id).copied()
    }
}
