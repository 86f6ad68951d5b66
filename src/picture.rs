//! A snapshot with everything that the rules draw on worked out once: holds, waits, pools.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use crate::expected::{Expectation, Expected, Keeping};
use crate::history::History;
use crate::hold::{Hold, prepared_by_owner};
use crate::key::Sharing;
use crate::key::names::Names;
use crate::key::naming::Candidate;
use crate::pool::{Pool, Seen};
use crate::pooler::backends::{Backends, Standing};
use crate::pooler::signs::Pooled;
pub use crate::snapshot::LockId;
use crate::snapshot::{Owner, PreparedTransaction, Snapshot, VirtualTransaction};
use crate::try_lock::Asker;
use crate::waits::{Wait, WaitGraph};
use crate::whose::Whose;

/// What the user told us to judge by.
#[derive(Debug, Clone)]
pub struct Expectations {
    /// An idle holder that nobody waits for is only mentioned before this.
    pub idle_after: Duration,
    /// Connections of one instance's pool, by application name.
    pub pool_sizes: BTreeMap<String, u32>,
    /// What the user calls their locks.
    pub names: Names,
    /// Holders that are meant to hold.
    pub expected: Expected,
}

impl Default for Expectations {
    fn default() -> Self {
        Self {
            idle_after: Duration::from_secs(5),
            pool_sizes: BTreeMap::new(),
            names: Names::default(),
            expected: Expected::default(),
        }
    }
}

impl LockId {
    /// The lock that is held.
    pub fn of(hold: &Hold<'_>) -> Self {
        Self {
            database: hold.database,
            tag: hold.tag,
        }
    }
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
    /// Who is behind which backend, as far as the consoles of poolers told.
    pub behind: Backends<'a>,
    /// Holders whose sessions look like a pooler's connections, by pid; none that a console knows.
    pub pooled: HashMap<i32, Pooled>,
    /// Sessions that ask for locks without waiting.
    pub askers: Vec<Asker<'a>>,
    whose: Whose,
    by_owner: HashMap<Owner, Vec<usize>>,
    by_lock: HashMap<LockId, Vec<usize>>,
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
        let behind = Backends::of(earlier, snapshot);
        let seen = Seen {
            holds: &holds,
            waits: &waits,
            behind: &behind,
        };
        let pools = Pool::all(snapshot, seen, &expectations.pool_sizes);
        let mut by_owner: HashMap<Owner, Vec<usize>> = HashMap::new();
        let mut by_lock: HashMap<LockId, Vec<usize>> = HashMap::new();
        for (at, hold) in holds.iter().enumerate() {
            by_lock.entry(LockId::of(hold)).or_default().push(at);
            by_owner.entry(hold.owner()).or_default().push(at);
        }
        Self {
            holders: longest_at_rest_first(&holds, &by_owner),
            pooled: without_known(Pooled::all(snapshot, &history, &holds), &behind),
            snapshot,
            history,
            expectations,
            holds,
            waits,
            pools,
            behind,
            askers: Asker::all(snapshot),
            whose: Whose::of(snapshot, &expectations.names),
            by_owner,
            by_lock,
            prepared: prepared_by_owner(snapshot),
        }
        .without_passers_on()
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

    /// In which mode a lock is held; `None` where nobody holds it, or it is held in both.
    pub fn sharing(&self, id: LockId) -> Option<Sharing> {
        let at = self.by_lock.get(&id).map_or(&[][..], Vec::as_slice);
        let mut modes = at.iter().map(|at| self.holds[*at].lock.mode.sharing());
        let first = modes.next()??;
        modes.all(|mode| mode == Some(first)).then_some(first)
    }

    /// Owners of advisory locks, each once, the longest at rest first: the server lists locks in the
    /// order of a hash table.
    pub fn holders(&self) -> Vec<Owner> {
        self.holders.clone()
    }

    /// Whether others wait for this lock and every sample shows it in other hands: it is passed on,
    /// and whoever holds it at the moment is not in the way.
    pub fn is_passed_on(&self, hold: &Hold<'_>) -> bool {
        !self.waiters_of(hold).is_empty() && self.history.owners_in_turn(hold.lock).is_some()
    }

    /// Whether a hold was left on a pooler's connection that no client has.
    pub fn is_stranded(&self, hold: &Hold<'_>) -> bool {
        self.behind.standing(hold) == Some(Standing::Stranded)
    }

    /// Whether an owner is in nobody's way: all that others want of it is passed on.
    pub fn passes_on(&self, owner: Owner) -> bool {
        let mut wanted = self
            .holds_of(owner)
            .filter(|hold| !self.waiters_of(hold).is_empty())
            .peekable();
        wanted.peek().is_some() && wanted.all(|hold| self.is_passed_on(hold))
    }

    /// Between two statements of its turn a session looks pinned; the next sample shows it free.
    fn without_passers_on(mut self) -> Self {
        let passing: Vec<i32> = self
            .holders()
            .into_iter()
            .filter(|owner| self.passes_on(*owner))
            .filter_map(Owner::pid)
            .collect();
        for pool in &mut self.pools {
            pool.pinned.retain(|pid| !passing.contains(pid));
        }
        self
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

    /// Who may have taken a lock, the surest first.
    pub fn known(&self, id: LockId) -> &[Candidate] {
        self.whose.of_lock(id)
    }

    /// What the user said of a hold like this, if anything.
    pub fn expectation(&self, hold: &Hold<'_>) -> Option<Expectation<'_>> {
        let database = self.snapshot.database_name(hold.database);
        let expected = &self.expectations.expected;
        expected.matches(hold, database, self.known(LockId::of(hold)))
    }

    /// Whether everything that an owner holds is meant to be held, and for as long.
    pub fn is_expected(&self, owner: Owner) -> bool {
        self.holds_of(owner).all(|hold| {
            let expectation = self.expectation(hold);
            expectation.is_some_and(|one| one.keeping == Keeping::Within)
        })
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

/// Signs are for want of a console: one that knows a connection knows the mode of its pool too.
fn without_known(mut pooled: HashMap<i32, Pooled>, behind: &Backends<'_>) -> HashMap<i32, Pooled> {
    pooled.retain(|pid, _| behind.session(*pid).is_none());
    pooled
}
