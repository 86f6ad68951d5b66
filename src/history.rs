//! What several samples prove that one cannot: scopes, shared backends, keys that change hands.

use std::collections::{BTreeSet, HashMap};
use std::time::SystemTime;

use crate::key::AdvisoryTag;
use crate::snapshot::{Lock, LockMode, Owner, Session, Snapshot};

/// One session's hold of one lock: pids recur, so the session's start is part of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct HoldId {
    pid: i32,
    backend_start: SystemTime,
    database: u32,
    tag: AdvisoryTag,
    mode: LockMode,
}

/// What the samples showed of one hold that has been there in each of them up to the last.
#[derive(Debug, Clone, Default)]
struct Held {
    /// Outside any transaction in one of them: then it is the session's.
    rested: bool,
    applications: BTreeSet<String>,
    statements: BTreeSet<String>,
}

/// The samples before the one that is judged, oldest first.
#[derive(Debug, Clone, Default)]
pub struct History {
    samples: usize,
    held: HashMap<HoldId, Held>,
    names: HashMap<(i32, SystemTime), BTreeSet<String>>,
    holders: HashMap<(u32, AdvisoryTag), Vec<BTreeSet<Owner>>>,
}

impl History {
    pub fn of(earlier: &[Snapshot]) -> Self {
        let mut history = Self {
            samples: earlier.len(),
            ..Self::default()
        };
        for (at, snapshot) in earlier.iter().enumerate() {
            history.add(at, snapshot);
        }
        history
    }

    fn add(&mut self, at: usize, snapshot: &Snapshot) {
        self.add_names(snapshot);
        let mut before = std::mem::take(&mut self.held);
        for lock in snapshot.locks.iter().filter(|lock| lock.granted) {
            let Some((database, tag)) = lock.target.advisory() else {
                continue;
            };
            let holders = self.holders.entry((database, tag)).or_default();
            holders.resize(at + 1, BTreeSet::new());
            holders[at].insert(lock.owner);
            if let Some(id) = hold_id(snapshot, lock) {
                let mut held = before.remove(&id).unwrap_or_default();
                held.add(snapshot, lock);
                self.held.insert(id, held);
            }
        }
    }

    fn add_names(&mut self, snapshot: &Snapshot) {
        for session in &snapshot.sessions {
            if let (Some(start), Some(name)) = (session.backend_start, &session.application_name) {
                let names = self.names.entry((session.pid, start)).or_default();
                names.insert(name.clone());
            }
        }
    }

    /// How many samples there were before the one that is judged.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Whether this hold was seen outside any transaction, and in each sample since: only a session's
    /// lock is. Two transactions that show the same lock prove nothing: a worker that locks by the
    /// transaction has it again in the next one.
    pub fn was_outside_transaction(&self, snapshot: &Snapshot, lock: &Lock) -> bool {
        self.held_before(snapshot, lock)
            .is_some_and(|held| held.rested)
    }

    /// The application names that the backend of this hold has shown while it held, now included.
    pub fn applications(&self, snapshot: &Snapshot, lock: &Lock) -> BTreeSet<String> {
        let held = self.held_before(snapshot, lock);
        let mut names = held.map_or_else(BTreeSet::new, |held| held.applications.clone());
        let now = lock.owner.pid().and_then(|pid| snapshot.session(pid));
        names.extend(now.and_then(|session| session.application_name.clone()));
        names
    }

    /// The statements that the session of this hold was seen with while it held, now included.
    pub fn statements(&self, snapshot: &Snapshot, lock: &Lock) -> BTreeSet<String> {
        let held = self.held_before(snapshot, lock);
        let mut statements = held.map_or_else(BTreeSet::new, |held| held.statements.clone());
        let now = lock.owner.pid().and_then(|pid| snapshot.session(pid));
        statements.extend(now.and_then(|session| session.query.clone()));
        statements
    }

    /// The application names that a session has shown, now included.
    pub fn names_of(&self, session: &Session) -> BTreeSet<String> {
        let earlier = session
            .backend_start
            .and_then(|start| self.names.get(&(session.pid, start)));
        let mut names = earlier.cloned().unwrap_or_default();
        names.extend(session.application_name.clone());
        names
    }

    /// How many owners a lock has had, now included, if every sample shows another than the one
    /// before.
    pub fn owners_in_turn(&self, lock: &Lock) -> Option<usize> {
        let earlier = self.holders.get(&lock.target.advisory()?)?;
        // Shorter when nobody held it lately.
        if self.samples < 2 || earlier.len() < self.samples {
            return None;
        }
        let now = BTreeSet::from([lock.owner]);
        let in_turn: Vec<&BTreeSet<Owner>> = earlier.iter().chain([&now]).collect();
        let always_another = in_turn
            .windows(2)
            .all(|pair| !pair[0].is_empty() && pair[0].is_disjoint(pair[1]));
        let all: BTreeSet<&Owner> = in_turn.into_iter().flatten().collect();
        always_another.then_some(all.len())
    }

    fn held_before(&self, snapshot: &Snapshot, lock: &Lock) -> Option<&Held> {
        self.held.get(&hold_id(snapshot, lock)?)
    }
}

impl Held {
    fn add(&mut self, snapshot: &Snapshot, lock: &Lock) {
        let Some(session) = lock.owner.pid().and_then(|pid| snapshot.session(pid)) else {
            return;
        };
        self.rested |= session.rests_outside(lock.virtualtransaction);
        self.applications.extend(session.application_name.clone());
        self.statements.extend(session.query.clone());
    }
}

/// `None` where the session's start is hidden: then it can't be told from a later one of that pid.
fn hold_id(snapshot: &Snapshot, lock: &Lock) -> Option<HoldId> {
    let (database, tag) = lock.target.advisory()?;
    let pid = lock.owner.pid()?;
    Some(HoldId {
        pid,
        backend_start: snapshot.session(pid)?.backend_start?,
        database,
        tag,
        mode: lock.mode.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::{Plant, quiet};
    use crate::snapshot::SessionState::{self, Active, Idle, IdleInTransaction};

    fn held(state: SessionState, local: u32, application: &str) -> Snapshot {
        let mut snapshot = quiet()
            .session(10, state)
            .named(10, application)
            .holds(10, 7);
        snapshot.locks[0].virtualtransaction.local = local;
        snapshot
    }

    fn is_the_sessions(earlier: &[Snapshot]) -> bool {
        let now = held(Active, 3, "api");
        History::of(earlier).was_outside_transaction(&now, &now.locks[0])
    }

    #[test]
    fn a_hold_that_was_outside_any_transaction_is_the_sessions() {
        assert!(is_the_sessions(&[held(Idle, 0, "api")]));
        assert!(is_the_sessions(&[
            held(Idle, 0, "api"),
            held(Active, 2, "api")
        ]));
        assert!(!is_the_sessions(&[held(Active, 0, "api")]), "it commits");
        assert!(!is_the_sessions(&[]));
    }

    #[test]
    fn a_worker_that_locks_in_each_of_its_transactions_proves_nothing() {
        assert!(!is_the_sessions(&[
            held(Active, 1, "api"),
            held(IdleInTransaction, 2, "api")
        ]));
    }

    #[test]
    fn what_was_seen_before_a_sample_without_the_hold_is_of_another() {
        let given_back = quiet().session(10, Active);
        assert!(!is_the_sessions(&[held(Idle, 0, "api"), given_back]));
    }

    #[test]
    fn another_session_of_the_same_pid_proves_nothing() {
        let mut before = held(Idle, 0, "api");
        before.sessions[0].backend_start = Some(crate::planted::ago(9_999));
        assert!(!is_the_sessions(&[before]));
    }

    #[test]
    fn owners_are_in_turn_only_if_no_sample_shows_the_one_before() {
        let by = |pid| quiet().session(pid, Active).holds(pid, 7);
        let now = by(12);
        let owners = |earlier: &[Snapshot]| History::of(earlier).owners_in_turn(&now.locks[0]);
        assert_eq!(owners(&[by(10), by(11)]), Some(3));
        assert_eq!(owners(&[by(12), by(11)]), Some(2));
        assert_eq!(owners(&[by(11), by(12)]), None, "it is the same twice");
        assert_eq!(owners(&[by(10), quiet()]), None, "nobody held it");
        assert_eq!(owners(&[quiet(), by(11)]), None, "nobody held it");
        assert_eq!(owners(&[by(11)]), None, "two samples show no turn");
    }

    #[test]
    fn collects_the_names_that_a_backend_has_shown() {
        let now = held(Idle, 0, "svc-b");
        let history = History::of(&[held(Idle, 0, "svc-a"), held(Idle, 0, "svc-b")]);
        let names: Vec<String> = history
            .applications(&now, &now.locks[0])
            .into_iter()
            .collect();
        assert_eq!(names, ["svc-a", "svc-b"]);
    }
}
