//! `pool-waits-on-itself`: sessions of a pool wait for keys that sessions of the same pool hold idly.

use super::{Advice, Certainty, Finding, Rule, Severity, said};
use crate::describe;
use crate::hold::Hold;
use crate::picture::Picture;
use crate::pool::{Pool, Starvation};
use crate::snapshot::Owner;
use crate::words;

pub(super) const RULE: Rule = Rule {
    name: "pool-waits-on-itself",
    summary: "sessions of a pool wait for keys that idle sessions of the same pool hold",
    help: "\
One instance's sessions wait for a lock that another session of the same instance holds and does
nothing with. Each waiter takes a connection; once none is left, the holder's own work cannot get
the connection that it needs to finish and unlock.

How sure: `certain` that they wait for their own pool, the lock table says so. That nothing can go on
any more is certain only when the pool's size is known and used up.

How bad: critical when no connection of the pool is left, else a warning.

What to do: end the holder, not the waiters. Then ask for the lock without waiting
(pg_try_advisory_lock) or with a lock_timeout, and run the work on the connection that holds the lock.",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    picture
        .pools
        .iter()
        .filter_map(|pool| finding(picture, pool))
        .collect()
}

fn finding(picture: &Picture<'_>, pool: &Pool<'_>) -> Option<Finding> {
    let holds = holds_waited_for(picture, pool);
    let holders = said::pids(&holds);
    if holders.is_empty() {
        return None;
    }
    let waiting = &pool.waiting_on_itself;
    let mut everybody: Vec<i32> = holders.iter().chain(waiting).copied().collect();
    everybody.sort_unstable();
    Some(Finding {
        rule: RULE.name,
        severity: match pool.starvation() {
            Starvation::No => Severity::Warning,
            _ => Severity::Critical,
        },
        certainty: match pool.starvation() {
            Starvation::AllThatAreOpen => Certainty::Likely,
            _ => Certainty::Certain,
        },
        harms: waiting.len(),
        title: title(pool, holders.len()),
        evidence: evidence(picture, pool, &holds),
        pids: everybody,
        keys: said::distinct(&holds),
        advice: vec![Advice::say(format!(
            "end the holder ({}), not the waiters; the statement for it stands with its own finding",
            words::pids(&holders)
        ))],
    })
}

/// Locks that resting members hold and other members wait for.
fn holds_waited_for<'b, 'a>(picture: &'b Picture<'a>, pool: &Pool<'_>) -> Vec<&'b Hold<'a>> {
    pool.pinned
        .iter()
        .flat_map(|pid| picture.holds_of(Owner::Session(*pid)))
        .filter(|hold| {
            let waiters = picture.waiters_of(hold);
            waiters
                .iter()
                .any(|wait| pool.waiting_on_itself.contains(&wait.pid))
        })
        .collect()
}

fn title(pool: &Pool<'_>, holders: usize) -> String {
    let waiting = pool.waiting_on_itself.len();
    let left = match pool.starvation() {
        Starvation::No => "",
        Starvation::AllThatAreOpen => ", and none that is open is left for other work",
        Starvation::Proven => ", and no connection is left to finish the work",
    };
    format!(
        "{} of pool {} {} for locks that {} of the same pool {} idly{left}",
        words::count(waiting, "session"),
        describe::pool(&pool.key),
        words::verb(waiting, "waits", "wait"),
        words::count(holders, "session"),
        words::verb(holders, "holds", "hold"),
    )
}

fn evidence(picture: &Picture<'_>, pool: &Pool<'_>, holds: &[&Hold<'_>]) -> Vec<String> {
    let mut lines: Vec<String> = holds
        .iter()
        .take(5)
        .map(|hold| {
            let waiters = picture.waiters_of(hold).len();
            format!(
                "{} holds {}, {} {} for it",
                words::pids(&said::pids(&[hold])),
                describe::key(picture, said::id(hold)),
                words::count(waiters, "session"),
                words::verb(waiters, "waits", "wait")
            )
        })
        .collect();
    lines.push(match pool.size {
        Some(size) => format!(
            "{} of its {} are pinned or wait",
            pool.stuck(),
            words::count(size as usize, "connection")
        ),
        None => format!(
            "{} of {} that are open are pinned or wait; the pool's size is not known (`--pool-size`)",
            pool.stuck(),
            words::count(pool.sessions.len(), "connection")
        ),
    });
    lines
}
