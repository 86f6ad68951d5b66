//! `starved-pool`: every connection of an instance's pool is pinned by advisory locks.

use super::advice::terminate_if_unchanged;
use super::{Advice, Certainty, Finding, Rule, Severity, said};
use crate::describe;
use crate::hold::{Doing, Hold};
use crate::picture::Picture;
use crate::pool::{Pool, Starvation};
use crate::snapshot::Owner;
use crate::words;

pub(super) const RULE: Rule = Rule {
    name: "starved-pool",
    summary: "all connections of one instance's pool hold advisory locks idly, or wait for one",
    help: "\
A held advisory lock keeps its connection busy. When every connection of an instance's pool holds one
(or waits for one), the work under the locks and every request wait inside the application for a
connection that those very locks are holding. Nothing waits in PostgreSQL: the backends are idle, the
lock table has no waiter, and the readiness probe fails.

How sure: `certain` when the pool's size is known (`--pool-size APPLICATION_NAME=N`) and that many
sessions are pinned. `likely` when the size is not known and all sessions that are open, two or
more, are pinned: the pool may still be able to open another. One step less sure where states are
hidden. A pool is told by database, role, application_name and client address; instances that share
all four are seen as one.

How bad: critical when certain; a warning while it is a suspicion.

What to do: end one of the sessions, whose work can bear to run twice: the application opens another
connection in its place and the rest can finish. A session that is idle in a transaction loses what it wrote
there; idle_in_transaction_session_timeout would end such a standstill by itself. An application that never notices that the session of its
lock is gone still counts that connection as taken: restart that one instance instead. Then take fewer locks at once than there are
connections, or take the lock out of the connection: a lease row holds none.",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let starved = picture
        .pools
        .iter()
        .filter(|pool| pool.starvation() != Starvation::No);
    starved.map(|pool| finding(picture, pool)).collect()
}

fn finding(picture: &Picture<'_>, pool: &Pool<'_>) -> Finding {
    let holds: Vec<&Hold<'_>> = pool
        .sessions
        .iter()
        .flat_map(|session| picture.holds_of(Owner::Session(session.pid)))
        .collect();
    let mut pids: Vec<i32> = pool.pinned.iter().chain(&pool.waiting).copied().collect();
    pids.sort_unstable();
    Finding {
        rule: RULE.name,
        severity: match pool.starvation() {
            Starvation::Proven => Severity::Critical,
            _ => Severity::Warning,
        },
        certainty: certainty(pool, &holds),
        harms: pool.stuck(),
        title: title(pool),
        evidence: evidence(picture, pool, &holds),
        pids,
        keys: said::distinct(&holds),
        advice: advice(picture, pool, &holds),
    }
}

fn certainty(pool: &Pool<'_>, holds: &[&Hold<'_>]) -> Certainty {
    let hidden = holds.iter().any(|hold| hold.doing() == Doing::LikelyIdle);
    match (pool.starvation(), hidden) {
        (Starvation::Proven, false) => Certainty::Certain,
        (Starvation::Proven, true) | (_, false) => Certainty::Likely,
        (_, true) => Certainty::Possible,
    }
}

fn title(pool: &Pool<'_>) -> String {
    let name = describe::pool(&pool.key);
    match pool.size {
        Some(size) => format!(
            "pool of {name} is starved: {} of its {} {}",
            pool.stuck(),
            words::count(size as usize, "connection"),
            pinned_or_waiting(pool)
        ),
        None => format!(
            "pool of {name} looks starved: all {} that are open {}",
            words::count(pool.stuck(), "connection"),
            pinned_or_waiting(pool)
        ),
    }
}

fn pinned_or_waiting(pool: &Pool<'_>) -> String {
    let pinned = pool.pinned.len();
    let holding = words::verb(pinned, "holds", "hold");
    match pool.waiting.len() {
        1 if pinned == 0 => "waits for an advisory lock".to_owned(),
        _ if pinned == 0 => "wait for advisory locks".to_owned(),
        0 if pinned == 1 => "holds an advisory lock and does nothing".to_owned(),
        0 => "hold advisory locks and do nothing".to_owned(),
        waiting => format!(
            "do nothing: {pinned} {holding} advisory locks, {waiting} {} for one",
            words::verb(waiting, "waits", "wait")
        ),
    }
}

fn evidence(picture: &Picture<'_>, pool: &Pool<'_>, holds: &[&Hold<'_>]) -> Vec<String> {
    let mut lines: Vec<String> = said::distinct(holds)
        .chunks(4)
        .take(3)
        .map(|ids| {
            let keys: Vec<String> = ids.iter().map(|id| describe::key(picture, *id)).collect();
            format!("held: {}", keys.join(", "))
        })
        .collect();
    let in_transaction = idle_in_transaction(pool);
    if in_transaction > 0 {
        lines.push(format!(
            "{in_transaction} of them {} idle in a transaction",
            words::verb(in_transaction, "is", "are")
        ));
    }
    if let Some(time) = pool.stuck_for {
        lines.push(format!(
            "none of them has done anything for {}",
            words::duration(time)
        ));
    }
    if pool.size.is_none() {
        let name = pool.key.application_name.as_deref().unwrap_or_default();
        lines.push(format!(
            "the pool's size is not known: say `--pool-size '{name}={}'` if it has {}",
            pool.stuck(),
            words::count(pool.stuck(), "connection")
        ));
    }
    if pool
        .size
        .is_some_and(|size| pool.sessions.len() > size as usize)
    {
        lines.push("more sessions than one pool has: several instances look alike here".to_owned());
    }
    lines
}

fn idle_in_transaction(pool: &Pool<'_>) -> usize {
    let sessions = pool.sessions.iter();
    sessions
        .filter(|session| pool.pinned.contains(&session.pid) && session.is_idle_in_transaction())
        .count()
}

fn advice(picture: &Picture<'_>, pool: &Pool<'_>, holds: &[&Hold<'_>]) -> Vec<Advice> {
    let mut advice = Vec::new();
    let longest = holds
        .iter()
        .filter(|hold| hold.pid().is_some_and(|pid| pool.pinned.contains(&pid)))
        .max_by_key(|hold| hold.at_least);
    if let Some(hold) = longest {
        advice.extend(end_one(picture, hold));
    }
    advice.push(Advice::say(
        "then take fewer locks at once than the pool has connections, or hold leases, which hold no connection",
    ));
    advice
}

fn end_one(picture: &Picture<'_>, hold: &Hold<'_>) -> Option<Advice> {
    let session = hold.holder.session()?;
    let key = describe::key(picture, said::id(hold));
    let lost = match hold.doing() {
        Doing::IdleInTransaction => ", and its transaction is rolled back",
        _ => "",
    };
    let text = format!(
        "end one session, so that the application can open another connection: pid {} has been idle \
         longest ({key}){lost}; prefer one whose work can bear to run twice; if the instance does not \
         come back within seconds, its pool does not notice lost sessions: restart that instance",
        session.pid
    );
    Some(match terminate_if_unchanged(hold, session) {
        Some(sql) => Advice::run(text, sql),
        None => Advice::say(format!(
            "{text}. Scan again as a member of pg_monitor for a safe statement"
        )),
    })
}
