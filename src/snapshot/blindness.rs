//! What a sample could not see, told from the sample itself.

use std::collections::BTreeSet;

use super::{BlindSpot, ConnectionPath, Owner, SessionState, Sight, Snapshot};

/// Everything that the sample itself gives away; what failed to be read is added by whoever read.
pub fn of(snapshot: &Snapshot) -> Vec<BlindSpot> {
    [
        masked(snapshot),
        untracked(snapshot),
        vanished(snapshot),
        unlisted_prepared(snapshot),
        before_waitstart(snapshot),
        (snapshot.server.path == ConnectionPath::PoolerOrNat).then_some(BlindSpot::BehindPooler),
        snapshot.server.in_recovery.then_some(BlindSpot::Standby),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn masked(snapshot: &Snapshot) -> Option<BlindSpot> {
    let of = snapshot
        .sessions
        .iter()
        .filter(|session| session.is_client_backend())
        .count();
    let masked = snapshot
        .sessions
        .iter()
        .filter(|session| session.sight == Sight::Masked && session.is_client_backend())
        .count();
    (masked > 0).then_some(BlindSpot::MaskedSessions { masked, of })
}

fn untracked(snapshot: &Snapshot) -> Option<BlindSpot> {
    let count = snapshot
        .sessions
        .iter()
        .filter(|session| session.pid != snapshot.viewer.pid)
        .filter(|session| session.state == Some(SessionState::Disabled))
        .count();
    (count > 0).then_some(BlindSpot::UntrackedSessions { count })
}

fn vanished(snapshot: &Snapshot) -> Option<BlindSpot> {
    let owners = snapshot.locks.iter().filter_map(|lock| lock.owner.pid());
    let pids: BTreeSet<i32> = owners
        .filter(|pid| snapshot.session(*pid).is_none())
        .collect();
    let pids: Vec<i32> = pids.into_iter().collect();
    (!pids.is_empty()).then_some(BlindSpot::VanishedSessions { pids })
}

fn unlisted_prepared(snapshot: &Snapshot) -> Option<BlindSpot> {
    let known: BTreeSet<u32> = snapshot
        .prepared
        .iter()
        .map(|prepared| prepared.transaction)
        .collect();
    let count = snapshot
        .locks
        .iter()
        .filter(|lock| matches!(lock.owner, Owner::Prepared(_)))
        .filter_map(|lock| lock.target.transactionid())
        .filter(|xid| !known.contains(xid))
        .count();
    (count > 0).then_some(BlindSpot::UnlistedPrepared { count })
}

fn before_waitstart(snapshot: &Snapshot) -> Option<BlindSpot> {
    let somebody_waits = snapshot.locks.iter().any(|lock| !lock.granted);
    (somebody_waits && snapshot.server.version_num < 140_000).then_some(BlindSpot::WaitStart)
}
