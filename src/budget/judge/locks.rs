//! Whether locks leave their own pool a connection, and whether a pooler can carry them.

use crate::budget::assessment::Assessment;
use crate::budget::finding::Code;
use crate::budget::plan::{Lock, Plan, PoolMode, Pooler, Role, Scope};
use crate::budget::said::{count, verb};
use crate::budget::starvation::{Pressure, Verdict};
use crate::budget::waiting;

pub(super) fn check(plan: &Plan, role: &Role, assessment: &mut Assessment) {
    if let Some(pool) = assessment.pool(&role.name).copied() {
        starvation(role, pool, assessment);
    }
    let pooler = plan
        .poolers
        .iter()
        .find(|pooler| role.via.as_ref() == Some(&pooler.name));
    if let Some(pooler) = pooler {
        carriage(role, pooler, assessment);
    }
}

fn starvation(role: &Role, pool: Pressure, assessment: &mut Assessment) {
    let mut check = assessment.check(format!("role {}: the pool can't starve itself", role.name));
    match pool.verdict {
        Verdict::DeadlockReachable => {
            let (message, details) = deadlock(role, pool);
            check.finds(Code::PoolDeadlock, first_place(role), message, details);
        }
        Verdict::AllPinned => {
            let (message, details) = pinned(role, pool);
            check.finds(Code::PoolPinned, first_place(role), message, details);
        }
        Verdict::Safe => check.notes(first_place(role), what_is_left(role, pool)),
    }
}

fn deadlock(role: &Role, pool: Pressure) -> (String, Vec<String>) {
    let wanting: Vec<&Lock> = in_pool(role).filter(|lock| lock.needs > 0).collect();
    let holders: Vec<String> = wanting.iter().map(|lock| holders(lock)).collect();
    let message = format!(
        "role `{}` can deadlock on its own pool: {}, and the pool has {}",
        role.name,
        holders.join(", "),
        pool.pool
    );
    let mut details = vec![
        "all of it can be in the hands of holders that wait for more; PostgreSQL can't see such a \
         deadlock, since the waiting happens in the application"
            .to_owned(),
        format!("a pool of {} is enough", pool.smallest_pool),
    ];
    if let [only] = wanting[..] {
        let most = (pool.pool - 1) / only.needs;
        if most > 0 {
            details.push(format!(
                "or hold {} at once at most (concurrency = {most})",
                count(most, "lock")
            ));
        }
    }
    details.push(
        "or do the work on the lock's own connection (needs = 0), or give the locks a pool of their \
         own (own_pool)"
            .to_owned(),
    );
    (message, details)
}

/// ``4 holders of `account-sync` each keep 1 connection and wait for 1 more``
fn holders(lock: &Lock) -> String {
    format!(
        "{} of `{}` {} 1 connection and {} for {} more",
        count(lock.concurrency, "holder"),
        lock.name,
        verb(lock.concurrency, "keeps", "each keep"),
        verb(lock.concurrency, "waits", "wait"),
        lock.needs
    )
}

fn pinned(role: &Role, pool: Pressure) -> (String, Vec<String>) {
    let message = format!(
        "role `{}`: locks can keep all {} of the pool, since {} may be held at once",
        role.name,
        count(pool.pool, "connection"),
        pool.pinned
    );
    let details = vec![
        "until one of them ends, nothing else of this process reaches the database".to_owned(),
        format!("a pool of {} leaves one connection", pool.smallest_pool),
    ];
    (message, details)
}

fn what_is_left(role: &Role, pool: Pressure) -> String {
    let ceilings: Vec<String> = in_pool(role).filter_map(ceiling).collect();
    let ceilings = match ceilings.is_empty() {
        true => String::new(),
        false => format!("; {}", ceilings.join(", ")),
    };
    format!(
        "role `{}`: {} of {} may be pinned by locks, {} left for everything else{ceilings}",
        role.name,
        pool.pinned,
        count(pool.pool, "connection"),
        pool.left()
    )
}

/// ``at 3s a hold `account-sync` is done 13.3 times a second at most``
fn ceiling(lock: &Lock) -> Option<String> {
    let hold = lock.hold?;
    Some(format!(
        "at {} a hold `{}` is done {:.1} times a second at most",
        crate::words::duration(hold),
        lock.name,
        waiting::ceiling_per_second(lock.concurrency, hold)
    ))
}

fn in_pool(role: &Role) -> impl Iterator<Item = &Lock> {
    role.locks.iter().filter(|lock| lock.own_pool.is_none())
}

fn first_place(role: &Role) -> Option<crate::place::Place> {
    in_pool(role).find_map(|lock| lock.place).or(role.place)
}

fn carriage(role: &Role, pooler: &Pooler, assessment: &mut Assessment) {
    if pooler.mode == PoolMode::Session || role.locks.is_empty() {
        return;
    }
    let mut check = assessment.check(format!(
        "role {}: the pooler can carry its locks",
        role.name
    ));
    for lock in role
        .locks
        .iter()
        .filter(|lock| lock.scope == Scope::Session)
    {
        let message = format!(
            "role `{}`: the session-level lock `{}` can't be held through pooler `{}` of mode {}: \
             the next {} may run in another session, and the lock stays with whoever gets this one",
            role.name,
            lock.name,
            pooler.name,
            pooler.mode.as_str(),
            pooler.mode.as_str()
        );
        let details = vec![
            "connect directly for it, use a pool of mode session, or take the lock by transaction \
             (pg_advisory_xact_lock)"
                .to_owned(),
        ];
        check.finds(Code::SessionLockThroughPooler, lock.place, message, details);
    }
}
