//! Whether the locks of a role can take its own pool away from it.
//!
//! `L` holders that each need `k` further connections of the pool can stand still for ever exactly
//! when all of the pool can be in the hands of holders that still lack one: when it has no more than
//! the sum of `L * k`. The tests search all states of small pools for it.

use super::OutOfRange;
use super::plan::{Lock, Role};

/// One process's pool, and what locks do to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pressure {
    /// The most connections that the pool may open.
    pub pool: u64,
    /// Connections that holders keep, if all hold at once.
    pub pinned: u64,
    /// The smallest pool in which neither a deadlock nor a wholly pinned pool is reachable.
    pub smallest_pool: u64,
    pub verdict: Verdict,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Some connection always comes back.
    Safe,
    /// Holders that wait for each other can have taken all.
    DeadlockReachable,
    /// Holders can keep all, until one of them ends.
    AllPinned,
}

impl Pressure {
    /// Connections that are left for everything else while all holders hold.
    pub fn left(&self) -> u64 {
        self.pool.saturating_sub(self.pinned)
    }
}

/// `None` for a role whose pool no lock is taken from.
pub fn of_role(role: &Role) -> Result<Option<Pressure>, OutOfRange> {
    let locks: Vec<&Lock> = role
        .locks
        .iter()
        .filter(|lock| lock.own_pool.is_none())
        .collect();
    if locks.is_empty() {
        return Ok(None);
    }
    let pressure = sums(&locks).zip(role.pool_ceiling());
    let ((pinned, needed), pool) =
        pressure.ok_or_else(|| OutOfRange::of(format!("role `{}`", role.name)))?;
    Ok(Some(judge(pool, pinned, needed)))
}

/// Holders, and the connections that they need beside.
fn sums(locks: &[&Lock]) -> Option<(u64, u64)> {
    let mut sums = (0_u64, 0_u64);
    for lock in locks {
        sums.0 = sums.0.checked_add(lock.concurrency)?;
        sums.1 = sums
            .1
            .checked_add(lock.concurrency.checked_mul(lock.needs)?)?;
    }
    // One more than either must be a number too.
    sums.0.max(sums.1).checked_add(1)?;
    Some(sums)
}

fn judge(pool: u64, pinned: u64, needed: u64) -> Pressure {
    let verdict = if pool <= needed {
        Verdict::DeadlockReachable
    } else if pool <= pinned {
        Verdict::AllPinned
    } else {
        Verdict::Safe
    };
    Pressure {
        pool,
        pinned,
        smallest_pool: needed.max(pinned) + 1,
        verdict,
    }
}
