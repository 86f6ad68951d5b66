//! The wait graph, from one read of `pg_locks`: who waits for whom, over all lock types, wherever
//! an advisory lock is part of the tangle.
//!
//! A hard edge leads to an owner that holds the lock in a conflicting mode. A soft edge leads to a
//! waiter queued ahead with a conflicting request: `pg_blocking_pids` mixes the two, and of n
//! waiters on one key makes n(n+1)/2 pairs.

mod queue;

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use crate::snapshot::{Lock, Owner, Snapshot};
use queue::Queues;

/// A session that waits for a lock. A session waits for one lock at a time.
#[derive(Debug, Clone)]
pub struct Wait<'a> {
    pub lock: &'a Lock,
    pub pid: i32,
    /// Hard: these hold the lock in a conflicting mode. In order.
    pub blockers: Vec<Owner>,
    /// Soft: the nearest waiter ahead whose request conflicts.
    pub queued_behind: Option<i32>,
    /// 1 for a request that no conflicting one is queued ahead of.
    pub queue_position: usize,
    pub waiting: Option<Duration>,
    pub source: WaitSource,
}

/// From what the length of a wait was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitSource {
    /// `pg_locks.waitstart`: exact.
    WaitStart,
    /// The start of the waiter's query: the wait is at most this long.
    QueryStart,
    /// Neither was to be seen.
    Unknown,
}

/// All waits of the tangles that have an advisory lock in them.
#[derive(Debug, Clone, Default)]
pub struct WaitGraph<'a> {
    waits: Vec<Wait<'a>>,
    by_pid: HashMap<i32, usize>,
    behind: HashMap<Owner, Vec<usize>>,
}

impl<'a> WaitGraph<'a> {
    pub fn of(snapshot: &'a Snapshot) -> Self {
        let queues = Queues::of(snapshot);
        let mut waits: Vec<Wait<'a>> = queues.waits();
        let tangled = owners_tangled_with_advisory(snapshot, &waits);
        waits.retain(|wait| tangled.contains(&Owner::Session(wait.pid)));
        waits.sort_by_key(|wait| (std::cmp::Reverse(wait.waiting), wait.pid));
        Self::indexed(waits)
    }

    fn indexed(waits: Vec<Wait<'a>>) -> Self {
        let mut graph = Self::default();
        for (at, wait) in waits.iter().enumerate() {
            graph.by_pid.insert(wait.pid, at);
            for owner in wait.all_ahead() {
                graph.behind.entry(owner).or_default().push(at);
            }
        }
        graph.waits = waits;
        graph
    }

    /// Longest wait first.
    pub fn waits(&self) -> &[Wait<'a>] {
        &self.waits
    }

    pub fn wait_of(&self, pid: i32) -> Option<&Wait<'a>> {
        self.by_pid.get(&pid).map(|at| &self.waits[*at])
    }

    /// Waits with a hard edge to this owner.
    pub fn blocked_by(&self, owner: Owner) -> impl Iterator<Item = &Wait<'a>> {
        self.directly_behind(owner)
            .filter(move |wait| wait.is_blocked_by(owner))
    }

    /// Waits with an edge of either kind to this owner.
    pub fn directly_behind(&self, owner: Owner) -> impl Iterator<Item = &Wait<'a>> {
        let at = self.behind.get(&owner).map_or(&[][..], Vec::as_slice);
        at.iter().map(|at| &self.waits[*at])
    }

    /// Every session that waits for this owner, directly or behind another waiter; nearest first.
    pub fn all_behind(&self, owner: Owner) -> Vec<&Wait<'a>> {
        let mut seen = HashSet::from([owner]);
        let mut todo = VecDeque::from([owner]);
        let mut found = Vec::new();
        while let Some(next) = todo.pop_front() {
            for wait in self.directly_behind(next) {
                if seen.insert(Owner::Session(wait.pid)) {
                    found.push(wait);
                    todo.push_back(Owner::Session(wait.pid));
                }
            }
        }
        found
    }

    /// Owners that block somebody and wait for nobody, the one with most behind it first.
    pub fn roots(&self) -> Vec<Owner> {
        let mut roots: Vec<(usize, Owner)> = self
            .behind
            .keys()
            .filter(|owner| !self.is_waiting(**owner))
            .map(|owner| (self.all_behind(*owner).len(), *owner))
            .collect();
        roots.sort_by_key(|(behind, owner)| (std::cmp::Reverse(*behind), *owner));
        roots.into_iter().map(|(_, owner)| owner).collect()
    }

    /// The waits that end at once when this owner gives its locks up.
    pub fn freed_by(&self, owner: Owner) -> Vec<&Wait<'a>> {
        self.blocked_by(owner)
            .filter(|wait| wait.blockers == [owner] && wait.queue_position == 1)
            .collect()
    }

    /// Waits that no root explains: their blockers wait in a circle.
    pub fn in_a_circle(&self) -> Vec<&Wait<'a>> {
        let explained: HashSet<i32> = self
            .roots()
            .into_iter()
            .flat_map(|root| self.all_behind(root))
            .map(|wait| wait.pid)
            .collect();
        self.waits
            .iter()
            .filter(|wait| !explained.contains(&wait.pid))
            .filter(|wait| wait.all_ahead().next().is_some())
            .collect()
    }

    fn is_waiting(&self, owner: Owner) -> bool {
        owner
            .pid()
            .is_some_and(|pid| self.by_pid.contains_key(&pid))
    }
}

impl Wait<'_> {
    /// Whether there is a hard edge to this owner.
    pub fn is_blocked_by(&self, owner: Owner) -> bool {
        self.blockers.binary_search(&owner).is_ok()
    }

    /// Owners that this wait has an edge to, of either kind.
    fn all_ahead(&self) -> impl Iterator<Item = Owner> + '_ {
        let queued = self.queued_behind.map(Owner::Session);
        self.blockers
            .iter()
            .copied()
            .chain(queued.filter(|owner| !self.is_blocked_by(*owner)))
    }
}

/// Owners in a connected part of the graph in which somebody holds or wants an advisory lock.
fn owners_tangled_with_advisory(snapshot: &Snapshot, waits: &[Wait<'_>]) -> HashSet<Owner> {
    let mut neighbours: HashMap<Owner, Vec<Owner>> = HashMap::new();
    for wait in waits {
        let waiter = Owner::Session(wait.pid);
        neighbours.entry(waiter).or_default();
        for ahead in wait.all_ahead() {
            neighbours.entry(waiter).or_default().push(ahead);
            neighbours.entry(ahead).or_default().push(waiter);
        }
    }
    let advisory = snapshot
        .locks
        .iter()
        .filter(|lock| lock.target.advisory().is_some())
        .map(|lock| lock.owner)
        .filter(|owner| neighbours.contains_key(owner));
    let mut seen: HashSet<Owner> = advisory.collect();
    let mut todo: Vec<Owner> = seen.iter().copied().collect();
    while let Some(owner) = todo.pop() {
        for next in &neighbours[&owner] {
            if seen.insert(*next) {
                todo.push(*next);
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::{Plant, quiet};
    use crate::snapshot::SessionState::{Active, Idle};
    use proptest::prelude::*;

    fn pids<'a>(waits: impl IntoIterator<Item = &'a Wait<'a>>) -> Vec<i32> {
        waits.into_iter().map(|wait| wait.pid).collect()
    }

    #[test]
    fn a_queue_has_one_hard_blocker_and_its_places() {
        let snapshot = quiet()
            .session(10, Idle)
            .holds(10, 7)
            .waits(11, 7, 30)
            .waits(12, 7, 20)
            .waits(13, 7, 10);
        let graph = WaitGraph::of(&snapshot);
        assert_eq!(graph.roots(), [Owner::Session(10)]);
        assert_eq!(pids(graph.waits()), [11, 12, 13]);
        let places: Vec<usize> = graph
            .waits()
            .iter()
            .map(|wait| wait.queue_position)
            .collect();
        assert_eq!(places, [1, 2, 3]);
        assert_eq!(graph.waits()[2].blockers, [Owner::Session(10)]);
        assert_eq!(graph.waits()[2].queued_behind, Some(12));
        assert_eq!(pids(graph.freed_by(Owner::Session(10))), [11]);
        assert_eq!(graph.all_behind(Owner::Session(10)).len(), 3);
    }

    #[test]
    fn a_shared_request_behind_an_exclusive_one_has_a_soft_edge_only() {
        let snapshot = quiet()
            .shares(10, 7)
            .waits(11, 7, 30)
            .waits_to_share(12, 7, 20);
        let graph = WaitGraph::of(&snapshot);
        let shared = graph.wait_of(12).expect("it waits");
        assert!(shared.blockers.is_empty());
        assert_eq!(shared.queued_behind, Some(11));
        assert_eq!(graph.roots(), [Owner::Session(10)]);
        assert_eq!(pids(graph.all_behind(Owner::Session(10))), [11, 12]);
    }

    #[test]
    fn a_chain_leads_back_to_its_root() {
        let snapshot = quiet()
            .holds(10, 1)
            .waits(11, 1, 30)
            .holds(11, 2)
            .waits(12, 2, 20);
        let graph = WaitGraph::of(&snapshot);
        assert_eq!(graph.roots(), [Owner::Session(10)]);
        assert_eq!(pids(graph.all_behind(Owner::Session(10))), [11, 12]);
        assert_eq!(pids(graph.blocked_by(Owner::Session(11))), [12]);
    }

    #[test]
    fn a_prepared_transaction_is_a_root() {
        let snapshot = quiet().prepared("order-17", 736, 444).waits(11, 444, 5);
        let graph = WaitGraph::of(&snapshot);
        assert_eq!(graph.roots().len(), 1);
        assert_eq!(graph.roots()[0].pid(), None);
    }

    #[test]
    fn a_table_lock_counts_only_in_a_tangle_with_an_advisory_lock() {
        let lone = quiet().table_lock(20, 1, true).table_lock(21, 1, false);
        assert!(WaitGraph::of(&lone).waits().is_empty());
        let tangled = lone.holds(20, 7);
        assert_eq!(pids(WaitGraph::of(&tangled).waits()), [21]);
    }

    #[test]
    fn waits_in_a_circle_have_no_root() {
        let snapshot = quiet()
            .holds(10, 1)
            .holds(11, 2)
            .waits(10, 2, 9)
            .waits(11, 1, 8);
        let graph = WaitGraph::of(&snapshot);
        assert!(graph.roots().is_empty());
        assert_eq!(pids(graph.in_a_circle()), [10, 11]);
    }

    #[test]
    fn a_parallel_worker_does_not_wait_for_its_own_leader() {
        let mut snapshot = quiet()
            .session(10, Active)
            .session(11, Active)
            .holds(10, 7)
            .waits(11, 7, 5);
        snapshot.sessions[1].leader_pid = Some(10);
        let graph = WaitGraph::of(&snapshot);
        assert!(graph.waits()[0].blockers.is_empty());
    }

    /// An exclusive request, two shared ones behind it, and another exclusive one at the end.
    #[test]
    fn only_conflicting_requests_ahead_count_for_the_place_in_the_queue() {
        let snapshot = quiet()
            .holds(10, 7)
            .waits(11, 7, 40)
            .waits_to_share(12, 7, 30)
            .waits_to_share(13, 7, 20)
            .waits(14, 7, 10);
        let graph = WaitGraph::of(&snapshot);
        let place = |pid| {
            let wait = graph.wait_of(pid).expect("it waits");
            (wait.queue_position, wait.queued_behind)
        };
        assert_eq!(place(11), (1, None));
        assert_eq!(place(12), (2, Some(11)));
        assert_eq!(place(13), (2, Some(11)));
        assert_eq!(place(14), (4, Some(13)));
    }

    #[test]
    fn a_parallel_worker_is_not_queued_behind_its_own_group() {
        let mut snapshot = quiet()
            .session(11, Active)
            .session(12, Active)
            .holds(10, 7)
            .waits(9, 7, 30)
            .waits(11, 7, 20)
            .waits(12, 7, 10);
        for session in &mut snapshot.sessions {
            session.leader_pid = Some(11).filter(|_| session.pid == 12);
        }
        let graph = WaitGraph::of(&snapshot);
        let worker = graph.wait_of(12).expect("it waits");
        assert_eq!((worker.queue_position, worker.queued_behind), (2, Some(9)));
    }

    #[test]
    fn without_waitstart_the_queue_is_ordered_by_the_queries() {
        let mut snapshot = quiet()
            .session(11, Active)
            .session(12, Active)
            .holds(10, 7)
            .waits(11, 7, 1)
            .waits(12, 7, 2);
        for lock in &mut snapshot.locks {
            lock.waitstart = None;
        }
        snapshot.sessions[0].query_start = Some(crate::planted::ago(50));
        let graph = WaitGraph::of(&snapshot);
        let second = graph.wait_of(11).expect("it waits");
        assert_eq!(second.source, WaitSource::QueryStart);
        assert_eq!(second.waiting, Some(Duration::from_secs(50)));
        assert_eq!(graph.wait_of(12).map(|wait| wait.queue_position), Some(1));
    }

    proptest! {
        /// Whatever holds and waits: every wait is under a root or in a circle, and no edge leads
        /// from a session to itself.
        #[test]
        fn every_wait_is_explained(locks in prop::collection::vec((2..12_i32, 1..4_i64, 0..4_u8), 0..30)) {
            let mut snapshot = quiet();
            let mut waiting = HashSet::new();
            for (pid, key, kind) in locks {
                snapshot = match kind {
                    0 => snapshot.holds(pid, key),
                    1 => snapshot.shares(pid, key),
                    _ if !waiting.insert(pid) => snapshot,
                    2 => snapshot.waits(pid, key, u64::from(pid.unsigned_abs())),
                    _ => snapshot.waits_to_share(pid, key, u64::from(pid.unsigned_abs())),
                };
            }
            let graph = WaitGraph::of(&snapshot);
            let mut explained: HashSet<i32> = HashSet::new();
            for root in graph.roots() {
                prop_assert!(!graph.is_waiting(root));
                explained.extend(pids(graph.all_behind(root)));
            }
            explained.extend(pids(graph.in_a_circle()));
            for wait in graph.waits() {
                prop_assert!(!wait.blockers.contains(&Owner::Session(wait.pid)));
                prop_assert!(wait.queued_behind != Some(wait.pid));
                prop_assert!(explained.contains(&wait.pid) || wait.all_ahead().next().is_none());
            }
        }
    }
}
