//! Who is behind which backend: the consoles' server connections joined with the server's sessions.
//!
//! A console and a server are never read at one moment. What is said here of a hold is true only if the
//! server showed it before and after the console was read.

mod agreement;
mod borrowers;
mod join;
mod orphans;

use std::collections::HashMap;

use crate::hold::{Hold, ScopeBasis};
use crate::snapshot::{BlindSpot, Pooler, PoolerClient, Session, Snapshot};
use agreement::Agreement;
use borrowers::Borrowers;
use join::joined;
pub use join::{Behind, Matched};
pub use orphans::Orphan;

/// What a console says of a hold, if the server agreed before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// No client has the connection, and whoever gets it next gets the lock.
    Stranded,
    /// A session's lock on a connection that goes to another client at the next transaction.
    Shared,
}

/// All that consoles say of a server's backends.
#[derive(Debug, Default)]
pub struct Backends<'a> {
    by_pid: HashMap<i32, Behind<'a>>,
    agreement: Agreement,
    borrowers: Borrowers,
    orphans: Vec<Orphan<'a>>,
}

impl<'a> Backends<'a> {
    /// The samples before, oldest first, and the one that is judged.
    pub fn of(earlier: &[Snapshot], snapshot: &'a Snapshot) -> Self {
        if snapshot.poolers.is_empty() {
            return Self::default();
        }
        let by_pid = joined(snapshot);
        let agreement = Agreement::of(earlier);
        Self {
            borrowers: Borrowers::of(earlier, snapshot),
            orphans: orphans::all(earlier, snapshot, &by_pid, &agreement),
            agreement,
            by_pid,
        }
    }

    /// The pooler's connection that a session is.
    pub fn session(&self, pid: i32) -> Option<&Behind<'a>> {
        self.by_pid.get(&pid)
    }

    pub fn all(&self) -> impl Iterator<Item = (i32, &Behind<'a>)> {
        self.by_pid.iter().map(|(pid, behind)| (*pid, behind))
    }

    /// Sessions that wait in the server for a client that their pooler has no more.
    pub fn orphans(&self) -> &[Orphan<'a>] {
        &self.orphans
    }

    /// Clients that were seen on a backend while this run looked, each once, the present one included.
    pub fn borrowers(&self, pid: i32) -> &[PoolerClient] {
        self.borrowers.of_backend(pid)
    }

    /// What is wrong with a hold behind a pooler. A lock inside a transaction is as it should be; so is
    /// a session's lock while its client has the connection for itself.
    pub fn standing(&self, hold: &Hold<'_>) -> Option<Standing> {
        let behind = self.session(hold.pid()?)?;
        if !self.agreement.held_before(hold) {
            return None;
        }
        let rests_now = hold.scope_basis == ScopeBasis::NotInTransaction;
        let rested = self.agreement.rested_before(hold);
        match (behind.is_lent(), behind.mode.shares_connections()) {
            (false, true) if rests_now && rested => Some(Standing::Stranded),
            (false, false) if rests_now && rested && behind.keeps_locks() => {
                Some(Standing::Stranded)
            }
            // Between two transactions it was seen to be the session's.
            (true, true) if rests_now || self.agreement.rested_once(hold) => Some(Standing::Shared),
            _ => None,
        }
    }

    /// Whether the server showed a hold before the console was read as well.
    pub fn held_before(&self, hold: &Hold<'_>) -> bool {
        self.agreement.held_before(hold)
    }

    /// Whether the server showed a session waiting for a lock before the console was read as well.
    pub fn waited_before(&self, session: &Session) -> bool {
        self.agreement.waited_before(session)
    }

    /// Whether a hold is outside any transaction in the judged sample and the one before.
    pub fn rests_twice(&self, hold: &Hold<'_>) -> bool {
        hold.scope_basis == ScopeBasis::NotInTransaction && self.agreement.rested_before(hold)
    }
}

/// Consoles that know connections, and none of them a session here: what they say proves nothing, and
/// must not pass for "all is well".
pub fn unjoined(snapshot: &Snapshot) -> Vec<BlindSpot> {
    let by_pid = joined(snapshot);
    let of_none = |pooler: &&Pooler| {
        let mut known = by_pid.values();
        !known.any(|behind| behind.pooler.console == pooler.console)
    };
    let known = |pooler: &Pooler| {
        let servers = pooler.servers.iter();
        servers.filter(|server| server.remote_pid.is_some()).count()
    };
    let poolers = snapshot.poolers.iter().filter(of_none);
    poolers
        .filter(|pooler| known(pooler) > 0)
        .map(|pooler| BlindSpot::Unjoined {
            console: pooler.console.clone(),
            connections: known(pooler),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::History;
    use crate::planted::{Plant, PlantPooler, pooler, quiet};
    use crate::snapshot::SessionState::{Active, Idle, IdleInTransaction};

    fn holder() -> Snapshot {
        quiet().session(10, Idle).holds(10, 7)
    }

    fn standing(before: &Snapshot, now: &Snapshot) -> Option<Standing> {
        let earlier = std::slice::from_ref(before);
        let holds = Hold::all(now, &History::of(earlier));
        Backends::of(earlier, now).standing(&holds[0])
    }

    fn with(snapshot: Snapshot, pooler: Pooler) -> Snapshot {
        Snapshot {
            poolers: vec![pooler],
            ..snapshot
        }
    }

    #[test]
    fn an_idle_holder_that_no_client_has_is_stranded() {
        for mode in ["transaction", "statement"] {
            let now = with(holder(), pooler(mode).serves(10));
            assert_eq!(
                standing(&holder(), &now),
                Some(Standing::Stranded),
                "{mode}"
            );
        }
    }

    #[test]
    fn both_reads_of_the_server_must_show_it_at_rest() {
        let now = with(holder(), pooler("transaction").serves(10));
        let without = quiet().session(10, Idle);
        assert_eq!(standing(&without, &now), None, "not held before");
        let busy = quiet().session(10, Active).holds_in_transaction(10, 7);
        assert_eq!(standing(&busy, &now), None, "perhaps a transaction's lock");
        let mut other = holder();
        other.sessions[0].backend_start = Some(crate::planted::ago(9_999));
        assert_eq!(standing(&other, &now), None, "another backend of that pid");
        let idle = quiet()
            .session(10, IdleInTransaction)
            .holds_in_transaction(10, 7);
        let now = with(idle, pooler("transaction").serves(10));
        assert_eq!(standing(&holder(), &now), None, "in a transaction now");
    }

    #[test]
    fn a_lone_sample_proves_nothing() {
        let now = with(holder(), pooler("transaction").serves(10));
        let holds = Hold::all(&now, &History::default());
        assert_eq!(Backends::of(&[], &now).standing(&holds[0]), None);
    }

    #[test]
    fn a_lent_connection_of_a_transaction_pool_shares_its_lock() {
        let lent = pooler("transaction").serves(10).lends(10, "billing");
        let now = with(holder(), lent);
        assert_eq!(standing(&holder(), &now), Some(Standing::Shared));
    }

    #[test]
    fn a_transactions_lock_is_as_it_should_be() {
        let held = || {
            quiet()
                .session(10, IdleInTransaction)
                .holds_in_transaction(10, 7)
        };
        let lent = pooler("transaction").serves(10).lends(10, "billing");
        assert_eq!(standing(&held(), &with(held(), lent)), None);
    }

    #[test]
    fn two_transactions_that_take_the_same_key_in_turn_share_nothing() {
        let held = |transaction| {
            let mut snapshot = quiet().session(10, Active).holds_in_transaction(10, 7);
            snapshot.locks[0].virtualtransaction.local = transaction;
            snapshot
        };
        let lent = pooler("transaction").serves(10).lends(10, "billing");
        assert_eq!(standing(&held(2), &with(held(3), lent)), None);
        let free = pooler("transaction").serves(10);
        assert_eq!(standing(&held(2), &with(held(3), free)), None);
    }

    #[test]
    fn in_session_mode_the_client_owns_it_and_the_reset_query_gives_it_up() {
        let lent = pooler("session").serves(10).lends(10, "billing");
        assert_eq!(standing(&holder(), &with(holder(), lent)), None);
        let coming_back = pooler("session").serves(10);
        assert_eq!(standing(&holder(), &with(holder(), coming_back)), None);
        let kept = pooler("session").serves(10).resets_by("");
        let now = with(holder(), kept);
        assert_eq!(standing(&holder(), &now), Some(Standing::Stranded));
    }

    #[test]
    fn a_replication_connection_is_its_clients_own_in_any_pool() {
        let mut lent = pooler("transaction").serves(10).lends(10, "standby");
        lent.servers[0].replicates = true;
        assert_eq!(standing(&holder(), &with(holder(), lent)), None);
    }

    #[test]
    fn a_console_of_another_server_is_told_from_one_that_has_nothing_open() {
        let elsewhere = with(quiet(), pooler("transaction").serves(10));
        let spots = unjoined(&elsewhere);
        assert_eq!(spots.len(), 1);
        assert!(
            spots[0]
                .sentence()
                .starts_with("of the 1 server connection")
        );
        assert!(unjoined(&with(holder(), pooler("transaction").serves(10))).is_empty());
        assert!(unjoined(&with(quiet(), pooler("transaction"))).is_empty());
    }
}
