//! Granted advisory locks: who holds them, in which scope, for how long at least and at most.
//!
//! PostgreSQL stores neither the scope nor the moment of the grant, so both are bounded from what
//! it does show, and each bound is one that the facts force.

use std::collections::HashMap;
use std::time::Duration;

use crate::history::History;
use crate::key::AdvisoryTag;
use crate::snapshot::{
    Lock, Owner, PreparedTransaction, Session, SessionState, Snapshot, VirtualTransaction,
};

/// One granted advisory lock, understood.
#[derive(Debug, Clone)]
pub struct Hold<'a> {
    pub lock: &'a Lock,
    pub database: u32,
    pub tag: AdvisoryTag,
    pub holder: Holder<'a>,
    pub scope: Scope,
    pub scope_basis: ScopeBasis,
    pub at_least: Option<Duration>,
    pub at_most: Option<Duration>,
}

#[derive(Debug, Clone, Copy)]
pub enum Holder<'a> {
    Session(&'a Session),
    /// Without its row where the server did not list it.
    Prepared(Option<&'a PreparedTransaction>),
    /// Gone between the read of the locks and the read of the sessions.
    Vanished(i32),
}

/// When the lock ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// With an unlock call or with the session.
    Session,
    /// With the transaction.
    Transaction,
    /// The same row can mean either.
    Unknown,
}

/// What proves the scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeBasis {
    /// The virtual transaction is `n/0`: whoever holds it is in no transaction.
    NotInTransaction,
    /// The same, in an earlier sample, and it was there in each since.
    SurvivedTransaction,
    /// Only a transaction's locks survive its session.
    Prepared,
    None,
}

/// What a holder does with its lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    Idle,
    /// Outside any transaction, its state hidden: between two statements at most.
    LikelyIdle,
    IdleInTransaction,
    /// In a transaction, its state hidden.
    UnseenInTransaction,
    Working,
    Prepared,
    Vanished,
}

impl Doing {
    /// Whether a session does nothing with its lock, in a transaction or outside.
    pub fn is_at_rest(self) -> bool {
        matches!(
            self,
            Self::Idle | Self::LikelyIdle | Self::IdleInTransaction
        )
    }
}

impl<'a> Hold<'a> {
    /// All holds of a snapshot, in the order of its locks.
    pub fn all(snapshot: &'a Snapshot, history: &History) -> Vec<Self> {
        let prepared = prepared_by_owner(snapshot);
        snapshot
            .locks
            .iter()
            .filter(|lock| lock.granted)
            .filter_map(|lock| Self::of(snapshot, lock, &prepared))
            .map(|hold| hold.with_scope(snapshot, history))
            .collect()
    }

    fn of(
        snapshot: &'a Snapshot,
        lock: &'a Lock,
        prepared: &HashMap<VirtualTransaction, &'a PreparedTransaction>,
    ) -> Option<Self> {
        let (database, tag) = lock.target.advisory()?;
        let holder = match lock.owner {
            Owner::Prepared(owner) => Holder::Prepared(prepared.get(&owner).copied()),
            Owner::Session(pid) => snapshot
                .session(pid)
                .map_or(Holder::Vanished(pid), Holder::Session),
        };
        let (at_least, at_most) = bounds(snapshot, holder, lock.virtualtransaction);
        Some(Self {
            lock,
            database,
            tag,
            holder,
            scope: Scope::Unknown,
            scope_basis: ScopeBasis::None,
            at_least,
            at_most,
        })
    }

    fn with_scope(mut self, snapshot: &Snapshot, history: &History) -> Self {
        let survived = history.was_outside_transaction(snapshot, self.lock);
        (self.scope, self.scope_basis) = match scope(self.holder, self.lock.virtualtransaction) {
            (Scope::Unknown, _) if survived => (Scope::Session, ScopeBasis::SurvivedTransaction),
            known => known,
        };
        self
    }

    pub fn owner(&self) -> Owner {
        self.lock.owner
    }

    pub fn pid(&self) -> Option<i32> {
        self.owner().pid()
    }

    pub fn doing(&self) -> Doing {
        match self.holder {
            Holder::Prepared(_) => Doing::Prepared,
            Holder::Vanished(_) => Doing::Vanished,
            Holder::Session(session) => doing(session, self.lock.virtualtransaction),
        }
    }
}

impl Holder<'_> {
    pub fn session(&self) -> Option<&Session> {
        match self {
            Self::Session(session) => Some(session),
            _ => None,
        }
    }
}

fn doing(session: &Session, transaction: VirtualTransaction) -> Doing {
    match session.state {
        // Idle now, but in a transaction when the locks were read: it moved on in between.
        Some(SessionState::Idle) if !transaction.is_outside_transaction() => Doing::Working,
        Some(SessionState::Idle) => Doing::Idle,
        Some(SessionState::IdleInTransaction | SessionState::IdleInTransactionAborted) => {
            Doing::IdleInTransaction
        }
        Some(SessionState::Active | SessionState::Other(_)) => Doing::Working,
        // A background process has no state; one whose type we see is at work.
        None if session.backend_type.is_some() => Doing::Working,
        None | Some(SessionState::Disabled) if transaction.is_outside_transaction() => {
            Doing::LikelyIdle
        }
        None | Some(SessionState::Disabled) => Doing::UnseenInTransaction,
    }
}

fn scope(holder: Holder<'_>, transaction: VirtualTransaction) -> (Scope, ScopeBasis) {
    match holder {
        Holder::Prepared(_) => (Scope::Transaction, ScopeBasis::Prepared),
        Holder::Session(session) if session.rests_outside(transaction) => {
            (Scope::Session, ScopeBasis::NotInTransaction)
        }
        _ => (Scope::Unknown, ScopeBasis::None),
    }
}

/// No lock is taken while a session is idle, so an idle holder has held at least since it fell
/// idle; no session holds longer than it lives, no prepared transaction shorter than since it was
/// prepared. The age of its last query bounds nothing.
fn bounds(
    snapshot: &Snapshot,
    holder: Holder<'_>,
    transaction: VirtualTransaction,
) -> (Option<Duration>, Option<Duration>) {
    let age = |since| snapshot.age(since);
    match holder {
        Holder::Session(session) => {
            let resting = matches!(
                doing(session, transaction),
                Doing::Idle | Doing::IdleInTransaction
            );
            let at_least = session.state_change.filter(|_| resting).map(age);
            (at_least, session.backend_start.map(age))
        }
        Holder::Prepared(prepared) => (prepared.map(|prepared| age(prepared.prepared_at)), None),
        Holder::Vanished(_) => (None, None),
    }
}

/// A prepared transaction is found through its own `transactionid` lock, the one way that works
/// before and after a restart (afterwards its virtual transaction reads `-1/xid`).
pub fn prepared_by_owner(snapshot: &Snapshot) -> HashMap<VirtualTransaction, &PreparedTransaction> {
    let by_xid: HashMap<u32, &PreparedTransaction> = snapshot
        .prepared
        .iter()
        .map(|prepared| (prepared.transaction, prepared))
        .collect();
    let locks = snapshot.locks.iter().filter(|lock| lock.granted);
    locks
        .filter_map(|lock| match lock.owner {
            Owner::Prepared(owner) => {
                let xid = lock.target.transactionid()?;
                by_xid.get(&xid).map(|prepared| (owner, *prepared))
            }
            Owner::Session(_) => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::{Plant, quiet};
    use crate::snapshot::SessionState::{
        Active, Disabled, Idle, IdleInTransaction, IdleInTransactionAborted,
    };

    /// What the only hold of this snapshot is taken for.
    fn only(snapshot: &Snapshot) -> (Doing, Scope, Option<u64>, Option<u64>) {
        let holds = Hold::all(snapshot, &History::default());
        let [hold] = &holds[..] else {
            panic!("one hold was planted, not {}", holds.len());
        };
        let seconds = |bound: Option<Duration>| bound.map(|bound| bound.as_secs());
        (
            hold.doing(),
            hold.scope,
            seconds(hold.at_least),
            seconds(hold.at_most),
        )
    }

    #[test]
    fn an_idle_session_holds_at_session_scope_since_it_fell_idle() {
        let snapshot = quiet().session(10, Idle).holds(10, 7);
        assert_eq!(
            only(&snapshot),
            (Doing::Idle, Scope::Session, Some(60), Some(3_600))
        );
    }

    #[test]
    fn inside_a_transaction_the_scope_is_unknown() {
        let snapshot = quiet()
            .session(10, IdleInTransaction)
            .holds_in_transaction(10, 7);
        let expected = (
            Doing::IdleInTransaction,
            Scope::Unknown,
            Some(60),
            Some(3_600),
        );
        assert_eq!(only(&snapshot), expected);
    }

    #[test]
    fn a_lock_that_outlived_its_failed_transaction_is_the_sessions() {
        let snapshot = quiet().session(10, IdleInTransactionAborted).holds(10, 7);
        let expected = (
            Doing::IdleInTransaction,
            Scope::Session,
            Some(60),
            Some(3_600),
        );
        assert_eq!(only(&snapshot), expected);
    }

    #[test]
    fn a_session_at_work_bounds_nothing_from_below_and_proves_no_scope() {
        let snapshot = quiet().session(10, Active).holds(10, 7);
        assert_eq!(
            only(&snapshot),
            (Doing::Working, Scope::Unknown, None, Some(3_600))
        );
    }

    #[test]
    fn a_session_that_moved_on_between_two_reads_is_not_called_idle() {
        let snapshot = quiet().session(10, Idle).holds_in_transaction(10, 7);
        assert_eq!(
            only(&snapshot),
            (Doing::Working, Scope::Unknown, None, Some(3_600))
        );
    }

    #[test]
    fn a_hidden_session_outside_a_transaction_is_likely_idle() {
        let hidden = quiet().session(10, Idle).masked(10).holds(10, 7);
        assert_eq!(
            only(&hidden),
            (Doing::LikelyIdle, Scope::Session, None, None)
        );
        let untracked = quiet().session(10, Disabled).holds(10, 7);
        assert_eq!(only(&untracked).0, Doing::LikelyIdle);
        let inside = quiet()
            .session(10, Idle)
            .masked(10)
            .holds_in_transaction(10, 7);
        assert_eq!(only(&inside).0, Doing::UnseenInTransaction);
    }

    #[test]
    fn a_prepared_transaction_is_found_by_its_own_transaction_lock() {
        let snapshot = quiet().prepared("order-17", 736, 444);
        assert_eq!(
            only(&snapshot),
            (Doing::Prepared, Scope::Transaction, Some(600), None)
        );
        let holds = Hold::all(&snapshot, &History::default());
        assert!(
            matches!(holds[0].holder, Holder::Prepared(Some(found)) if found.gid == "order-17")
        );
    }

    #[test]
    fn an_owner_without_a_session_is_kept_and_marked() {
        let snapshot = quiet().holds(10, 7);
        assert_eq!(
            only(&snapshot),
            (Doing::Vanished, Scope::Unknown, None, None)
        );
    }
}
