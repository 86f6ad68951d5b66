//! What a sample could not see, told from the sample itself.

use std::collections::BTreeSet;

use super::{BlindSpot, Lock, Owner, Session, SessionState, Sight, Snapshot};

/// Everything that the sample itself gives away; what failed to be read is added by whoever read.
pub fn of(snapshot: &Snapshot) -> Vec<BlindSpot> {
    of_part(snapshot, &Part::Server)
}

/// The same for the locks of these databases. Nobody in another database can hold one of them or
/// wait for it, so what is hidden there hides nothing of them.
pub fn of_databases(snapshot: &Snapshot, oids: &[u32]) -> Vec<BlindSpot> {
    of_part(snapshot, &Part::Databases(oids))
}

/// What the question is about.
enum Part<'a> {
    Server,
    Databases(&'a [u32]),
}

impl Part<'_> {
    /// An unknown database may be any.
    fn has_database(&self, oid: Option<u32>) -> bool {
        match self {
            Self::Server => true,
            Self::Databases(oids) => oid.is_none_or(|oid| oids.contains(&oid)),
        }
    }

    fn has_session(&self, session: &Session) -> bool {
        self.has_database(session.datid)
    }

    /// Whether the lock is one of a database asked for, or somebody there waits for it.
    fn has_lock(&self, snapshot: &Snapshot, lock: &Lock) -> bool {
        let is_there = |lock: &Lock| {
            let database = lock.target.database().filter(|oid| *oid != 0);
            database.is_some() && self.has_database(database)
        };
        let waits_there = |other: &Lock| {
            let session = other.owner.pid().and_then(|pid| snapshot.session(pid));
            !other.granted
                && other.target == lock.target
                && session.is_some_and(|session| self.has_session(session))
        };
        matches!(self, Self::Server) || is_there(lock) || snapshot.locks.iter().any(waits_there)
    }
}

fn of_part(snapshot: &Snapshot, part: &Part<'_>) -> Vec<BlindSpot> {
    [
        masked(snapshot, part),
        untracked(snapshot, part),
        vanished(snapshot, part),
        unlisted_prepared(snapshot, part),
        before_waitstart(snapshot),
        behind_pooler(snapshot),
        snapshot.server.in_recovery.then_some(BlindSpot::Standby),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn masked(snapshot: &Snapshot, part: &Part<'_>) -> Option<BlindSpot> {
    let clients: Vec<&Session> = snapshot
        .sessions
        .iter()
        .filter(|session| session.is_client_backend() && part.has_session(session))
        .collect();
    let masked = clients
        .iter()
        .filter(|session| session.sight == Sight::Masked)
        .count();
    (masked > 0).then_some(BlindSpot::MaskedSessions {
        masked,
        of: clients.len(),
    })
}

fn untracked(snapshot: &Snapshot, part: &Part<'_>) -> Option<BlindSpot> {
    let count = snapshot
        .sessions
        .iter()
        .filter(|session| session.pid != snapshot.viewer.pid && part.has_session(session))
        .filter(|session| session.state == Some(SessionState::Disabled))
        .count();
    (count > 0).then_some(BlindSpot::UntrackedSessions { count })
}

fn vanished(snapshot: &Snapshot, part: &Part<'_>) -> Option<BlindSpot> {
    let gone = |lock: &&Lock| {
        let pid = lock.owner.pid();
        pid.is_some_and(|pid| snapshot.session(pid).is_none())
    };
    let pids: BTreeSet<i32> = snapshot
        .locks
        .iter()
        .filter(gone)
        .filter(|lock| part.has_lock(snapshot, lock))
        .filter_map(|lock| lock.owner.pid())
        .collect();
    let pids: Vec<i32> = pids.into_iter().collect();
    (!pids.is_empty()).then_some(BlindSpot::VanishedSessions { pids })
}

fn unlisted_prepared(snapshot: &Snapshot, part: &Part<'_>) -> Option<BlindSpot> {
    let known: BTreeSet<u32> = snapshot
        .prepared
        .iter()
        .map(|prepared| prepared.transaction)
        .collect();
    let count = snapshot
        .locks
        .iter()
        .filter(|lock| matches!(lock.owner, Owner::Prepared(_)))
        .filter(|lock| owner_has_part(snapshot, part, lock.owner))
        .filter_map(|lock| lock.target.transactionid())
        .filter(|xid| !known.contains(xid))
        .count();
    (count > 0).then_some(BlindSpot::UnlistedPrepared { count })
}

/// A prepared transaction is unknown by the lock on its own id, which belongs to no database.
fn owner_has_part(snapshot: &Snapshot, part: &Part<'_>, owner: Owner) -> bool {
    let mut locks = snapshot.locks.iter();
    locks.any(|lock| lock.owner == owner && part.has_lock(snapshot, lock))
}

fn behind_pooler(snapshot: &Snapshot) -> Option<BlindSpot> {
    let path = snapshot.server.path;
    path.is_indirect()
        .then_some(BlindSpot::BehindPooler { path })
}

fn before_waitstart(snapshot: &Snapshot) -> Option<BlindSpot> {
    let somebody_waits = snapshot.locks.iter().any(|lock| !lock.granted);
    (somebody_waits && snapshot.server.version_num < 140_000).then_some(BlindSpot::WaitStart)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::{Plant, quiet};

    #[test]
    fn what_is_hidden_in_another_database_hides_nothing_of_this_one() {
        let mut snapshot = quiet()
            .session(11, SessionState::Disabled)
            .session(12, SessionState::Disabled);
        for (session, datid) in snapshot.sessions.iter_mut().zip([5, 6]) {
            session.datid = Some(datid);
        }
        let untracked = |count| vec![BlindSpot::UntrackedSessions { count }];
        assert_eq!(of(&snapshot), untracked(2));
        assert_eq!(of_databases(&snapshot, &[5]), untracked(1));
        assert_eq!(of_databases(&snapshot, &[7]), []);
    }

    #[test]
    fn a_session_of_unknown_database_may_be_of_any() {
        let mut snapshot = quiet().session(11, SessionState::Disabled);
        snapshot.sessions[0].datid = None;
        assert_eq!(of_databases(&snapshot, &[5]), of(&snapshot));
    }

    #[test]
    fn a_lock_owner_that_is_gone_hides_something_where_its_lock_is_or_is_waited_for() {
        let snapshot = quiet().holds(21, 7);
        let here = snapshot.locks[0]
            .target
            .database()
            .expect("an advisory lock has one");
        let mut snapshot = snapshot;
        snapshot.sessions.clear();
        assert_eq!(of_databases(&snapshot, &[here]).len(), 1);
        assert_eq!(of_databases(&snapshot, &[here + 1]), []);
    }
}
