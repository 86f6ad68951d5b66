//! A snapshot with everything that the rules draw on worked out once: holds, waits, pools.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use crate::history::History;
use crate::hold::{Hold, prepared_by_owner};
use crate::key::AdvisoryTag;
use crate::pool::Pool;
use crate::snapshot::{Owner, PreparedTransaction, Snapshot, VirtualTransaction};
use crate::waits::{Wait, WaitGraph};

/// What the user told us to judge by.
#[derive(Debug, Clone)]
pub struct Expectations {
    /// An idle holder that nobody waits for is only mentioned before this.
    pub idle_after: Duration,
    /// Connections of one instance's pool, by application name.
    pub pool_sizes: BTreeMap<String, u32>,
}

impl Default for Expectations {
    fn default() -> Self {
        Self {
            idle_after: Duration::from_secs(5),
            pool_sizes: BTreeMap::new(),
        }
    }
}

/// An advisory lock's identity: the same key in two databases is two locks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LockId {
    pub database: u32,
    pub tag: AdvisoryTag,
}

#[derive(Debug)]
pub struct Picture<'a> {
    pub snapshot: &'a Snapshot,
    /// The samples before it.
    pub history: History,
    pub expectations: &'a Expectations,
    pub holds: Vec<Hold<'a>>,
    pub waits: WaitGraph<'a>,
    pub pools: Vec<Pool<'a>>,
    by_owner: HashMap<Owner, Vec<usize>>,
    holders: Vec<Owner>,
    prepared: HashMap<VirtualTransaction, &'a PreparedTransaction>,
}

impl<'a> Picture<'a> {
    /// The picture of the last of these samples, in the light of those before.
    pub fn of(
        earlier: &[Snapshot],
        snapshot: &'a Snapshot,
        expectations: &'a Expectations,
    ) -> Self {
        let history = History::of(earlier);
        let holds = Hold::all(snapshot, &history);
        let waits = WaitGraph::of(snapshot);
        let pools = Pool::all(snapshot, &holds, &waits, &expectations.pool_sizes);
        let mut by_owner: HashMap<Owner, Vec<usize>> = HashMap::new();
        for (at, hold) in holds.iter().enumerate() {
            by_owner.entry(hold.owner()).or_default().push(at);
        }
        Self {
            holders: longest_at_rest_first(&holds, &by_owner),
            snapshot,
            history,
            expectations,
            holds,
            waits,
            pools,
            by_owner,
            prepared: prepared_by_owner(snapshot),
        }
    }

    /// The prepared transaction that an owner is, where the server listed it.
    pub fn prepared(&self, owner: Owner) -> Option<&'a PreparedTransaction> {
        match owner {
            Owner::Prepared(transaction) => self.prepared.get(&transaction).copied(),
            Owner::Session(_) => None,
        }
    }

    /// The advisory locks that one owner holds.
    pub fn holds_of(&self, owner: Owner) -> impl Iterator<Item = &Hold<'a>> {
        let at = self.by_owner.get(&owner).map_or(&[][..], Vec::as_slice);
        at.iter().map(|at| &self.holds[*at])
    }

    /// Owners of advisory locks, each once, the longest at rest first: the server lists locks in the
    /// order of a hash table.
    pub fn holders(&self) -> Vec<Owner> {
        self.holders.clone()
    }

    /// Sessions that wait for this very hold to end.
    pub fn waiters_of(&self, hold: &Hold<'_>) -> Vec<&Wait<'a>> {
        self.waits
            .blocked_by(hold.owner())
            .filter(|wait| wait.lock.target == hold.lock.target)
            .filter(|wait| wait.lock.mode.conflicts_with(&hold.lock.mode))
            .collect()
    }

    pub fn waiters_of_any(&self, holds: &[&Hold<'_>]) -> Vec<&Wait<'a>> {
        let mut waits: Vec<&Wait<'a>> = holds
            .iter()
            .flat_map(|hold| self.waiters_of(hold))
            .collect();
        waits.sort_by_key(|wait| wait.pid);
        waits.dedup_by_key(|wait| wait.pid);
        waits
    }

    /// Waits for advisory locks, longest first.
    pub fn advisory_waits(&self) -> impl Iterator<Item = &Wait<'a>> {
        let waits = self.waits.waits().iter();
        waits.filter(|wait| wait.lock.target.advisory().is_some())
    }

    /// What a database is called: its name, its number where that is unknown, nothing for 0.
    pub fn database_label(&self, oid: u32) -> Option<String> {
        (oid != 0).then(|| {
            self.snapshot
                .database_name(oid)
                .map_or_else(|| format!("database {oid}"), str::to_owned)
        })
    }
}

fn longest_at_rest_first(holds: &[Hold<'_>], by_owner: &HashMap<Owner, Vec<usize>>) -> Vec<Owner> {
    let at_rest_for = |owner| {
        let held = by_owner[&owner].iter().map(|at| &holds[*at]);
        held.filter_map(|hold| hold.at_least).max()
    };
    let mut owners: Vec<Owner> = by_owner.keys().copied().collect();
    owners.sort_by_cached_key(|owner| (Reverse(at_rest_for(*owner)), *owner));
    owners
}
