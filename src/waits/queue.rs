//! The queues of single locks: who holds what a request asks for, and who asked for it before.

use std::collections::HashMap;
use std::time::SystemTime;

use super::{Wait, WaitSource};
use crate::snapshot::{Lock, LockMode, Owner, Snapshot, Target};

/// Requests and holds of every target that somebody waits for.
pub(super) struct Queues<'a> {
    snapshot: &'a Snapshot,
    waiting: HashMap<&'a Target, Vec<&'a Lock>>,
    held: HashMap<&'a Target, Vec<&'a Lock>>,
}

impl<'a> Queues<'a> {
    pub(super) fn of(snapshot: &'a Snapshot) -> Self {
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

    pub(super) fn waits(&self) -> Vec<Wait<'a>> {
        let queues = self.waiting.values();
        queues.flat_map(|queue| self.waits_in(queue)).collect()
    }

    fn waits_in(&self, queue: &[&'a Lock]) -> Vec<Wait<'a>> {
        let mut ahead = Ahead::default();
        let waits = queue.iter().filter_map(|lock| {
            let wait = self.wait(lock, &ahead)?;
            ahead.join(lock, self.group(lock));
            Some(wait)
        });
        waits.collect()
    }

    /// `None` for a waiting row without a backend, which no server should show.
    fn wait(&self, lock: &'a Lock, ahead: &Ahead<'a>) -> Option<Wait<'a>> {
        let (began, source) = began(self.snapshot, lock);
        let (conflicting, nearest) = ahead.conflicting(lock, self.group(lock));
        Some(Wait {
            lock,
            pid: lock.owner.pid()?,
            blockers: self.blockers(lock),
            queued_behind: nearest,
            queue_position: conflicting + 1,
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

/// The waiters ahead in one queue, by the mode that they ask for: a queue of thousands must not be
/// gone through again for each of them.
#[derive(Default)]
struct Ahead<'a> {
    joined: usize,
    by_mode: HashMap<&'a LockMode, Vec<InQueue>>,
    /// How many of one parallel group ask for a mode.
    of_group: HashMap<(Owner, &'a LockMode), usize>,
}

#[derive(Clone, Copy)]
struct InQueue {
    place: usize,
    pid: Option<i32>,
    group: Owner,
}

impl<'a> Ahead<'a> {
    fn join(&mut self, lock: &'a Lock, group: Owner) {
        let waiter = InQueue {
            place: self.joined,
            pid: lock.owner.pid(),
            group,
        };
        self.joined += 1;
        self.by_mode.entry(&lock.mode).or_default().push(waiter);
        *self.of_group.entry((group, &lock.mode)).or_default() += 1;
    }

    /// How many ask for a mode that conflicts with this request, and the nearest of them.
    fn conflicting(&self, lock: &'a Lock, group: Owner) -> (usize, Option<i32>) {
        let mut number = 0;
        let mut nearest: Option<InQueue> = None;
        let conflicting = self.by_mode.iter();
        for (mode, waiters) in conflicting.filter(|(mode, _)| lock.mode.conflicts_with(mode)) {
            let own = self.of_group.get(&(group, *mode)).copied();
            number += waiters.len() - own.unwrap_or(0);
            let last = waiters.iter().rev().find(|other| other.group != group);
            nearest = [nearest, last.copied()]
                .into_iter()
                .flatten()
                .max_by_key(|other| other.place);
        }
        (number, nearest.and_then(|other| other.pid))
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
