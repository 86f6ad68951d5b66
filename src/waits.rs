//! The wait graph, from one read of `pg_locks`: who waits for whom, over all lock types, wherever
//! an advisory lock is part of the tangle.
//!
//! A hard edge leads to an owner that holds the lock in a conflicting mode. A soft edge leads to a
//! waiter queued ahead with a conflicting request: `pg_blocking_pids` mixes the two, and of n
//! waiters on one key makes n(n+1)/2 pairs.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{Duration, SystemTime};

use crate::snapshot::{Lock, Owner, Snapshot, Target};

/// A session that waits for a lock. A session waits for one lock at a time.
#[derive(Debug, Clone)]
pub struct Wait<'a> {
    pub lock: &'a Lock,
    pub pid: i32,
    /// Hard: these hold the lock in a conflicting mode.
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
            .filter(move |wait| wait.blockers.contains(&owner))
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
    /// Owners that this wait has an edge to, of either kind.
    fn all_ahead(&self) -> impl Iterator<Item = Owner> + '_ {
        let queued = self.queued_behind.map(Owner::Session);
        self.blockers
            .iter()
            .copied()
            .chain(queued.filter(|owner| !self.blockers.contains(owner)))
    }
}

/// Requests and holds of every target that somebody waits for.
struct Queues<'a> {
    snapshot: &'a Snapshot,
    waiting: HashMap<&'a Target, Vec<&'a Lock>>,
    held: HashMap<&'a Target, Vec<&'a Lock>>,
}

impl<'a> Queues<'a> {
    fn of(snapshot: &'a Snapshot) -> Self {
        let mut waiting: HashMap<&Target, Vec<&Lock>> = HashMap::new();
        for lock in snapshot.locks.iter().filter(|lock| !lock.granted) {
            waiting.entry(&lock.target).or_default().push(lock);
        }
        let mut held: HashMap<&Target, Vec<&Lock>> = HashMap::new();
        for lock in snapshot.locks.iter().filter(|lock| lock.granted) {
            if waiting.contains_key(&lock.target) {
                held.entry(&lock.target).or_default().push(lock);
            }
        }
        let mut queues = Self {
            snapshot,
            waiting,
            held,
        };
        queues.sort();
        queues
    }

    fn sort(&mut self) {
        let snapshot = self.snapshot;
        for queue in self.waiting.values_mut() {
            queue.sort_by_key(|lock| (began(snapshot, lock).0, lock.owner));
        }
    }

    fn waits(&self) -> Vec<Wait<'a>> {
        let queues = self.waiting.values();
        queues
            .flat_map(|queue| (0..queue.len()).map(|at| self.wait(queue, at)))
            .flatten()
            .collect()
    }

    /// `None` for a waiting row without a backend, which no server should show.
    fn wait(&self, queue: &[&'a Lock], at: usize) -> Option<Wait<'a>> {
        let lock = queue[at];
        let ahead: Vec<i32> = queue[..at]
            .iter()
            .filter(|other| self.conflict(lock, other))
            .filter_map(|other| other.owner.pid())
            .collect();
        let (began, source) = began(self.snapshot, lock);
        Some(Wait {
            lock,
            pid: lock.owner.pid()?,
            blockers: self.blockers(lock),
            queued_behind: ahead.last().copied(),
            queue_position: ahead.len() + 1,
            waiting: began.map(|began| self.snapshot.age(began)),
            source,
        })
    }

    fn blockers(&self, lock: &Lock) -> Vec<Owner> {
        let held = self.held.get(&lock.target).map_or(&[][..], Vec::as_slice);
        let mut blockers: Vec<Owner> = held
            .iter()
            .filter(|other| self.conflict(lock, other))
            .map(|other| other.owner)
            .collect();
        blockers.sort_unstable();
        blockers.dedup();
        blockers
    }

    fn conflict(&self, mine: &Lock, theirs: &Lock) -> bool {
        mine.mode.conflicts_with(&theirs.mode) && self.group(mine) != self.group(theirs)
    }

    /// Members of a parallel group share its leader's locks.
    fn group(&self, lock: &Lock) -> Owner {
        let leader = lock
            .owner
            .pid()
            .and_then(|pid| self.snapshot.session(pid))
            .and_then(|session| session.leader_pid);
        leader.map_or(lock.owner, Owner::Session)
    }
}

fn began(snapshot: &Snapshot, lock: &Lock) -> (Option<SystemTime>, WaitSource) {
    let query_start = || {
        lock.owner
            .pid()
            .and_then(|pid| snapshot.session(pid))
            .and_then(|session| session.query_start)
    };
    match lock.waitstart {
        Some(began) => (Some(began), WaitSource::WaitStart),
        None => match query_start() {
            Some(began) => (Some(began), WaitSource::QueryStart),
            None => (None, WaitSource::Unknown),
        },
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
