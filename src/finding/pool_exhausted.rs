//! `pool-exhausted`: clients queue in the pooler for a server connection.

use std::time::Duration;

use super::{Advice, Certainty, Finding, Rule, Severity, said};
use crate::describe;
use crate::hold::Doing;
use crate::picture::Picture;
use crate::pooler::backends::Behind;
use crate::snapshot::{Owner, Pooler, Queue, is_console};
use crate::text::console_word;
use crate::words;

/// A busy pool lets clients wait for a moment, which harms nobody.
const LONG: Duration = Duration::from_secs(1);

pub(super) const RULE: Rule = Rule {
    name: "pool-exhausted",
    summary: "clients wait in the pooler because every server connection of the pool is taken (needs --pgbouncer)",
    help: "\
SHOW POOLS counts the clients that have sent a statement and wait for a server connection (cl_waiting) and
how long the first of them has waited (maxwait). They are in no view of PostgreSQL, which shows the
connections of the pool alone. A pool whose every connection waits for an advisory lock or holds one in an
idle transaction serves nobody until that lock is given up: if the one who would give it up is himself in
the queue, never.

How sure: `certain`: the console counts them.

How bad: critical when every connection of the pool is stuck with advisory locks, or when the pool has no
connection at all, is paused or disabled; else a warning. Waits below a second are not reported.

What to do: where locks pin the pool, end the one session that the others wait for. A paused pool wants
RESUME. A pool without any server connection: the server refuses them (its log and the pooler's say why).
Else statements are slow or too many for its size; look at pool_size only when the sum still fits the server
(pooler-over-budget).",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    queues(&picture.snapshot.poolers)
        .map(|(pooler, queue)| finding(pooler, queue, &stuck(picture, pooler, queue)))
        .collect()
}

/// What the console alone can tell, when the server lets nobody in.
pub(super) fn from_consoles(poolers: &[Pooler]) -> Vec<Finding> {
    queues(poolers)
        .map(|(pooler, queue)| finding(pooler, queue, &Stuck::default()))
        .collect()
}

fn queues(poolers: &[Pooler]) -> impl Iterator<Item = (&Pooler, &Queue)> {
    let queues = poolers
        .iter()
        .flat_map(|pooler| pooler.queues.iter().map(move |queue| (pooler, queue)));
    queues.filter(|(_, queue)| {
        !is_console(&queue.alias) && queue.clients_waiting > 0 && queue.longest_wait >= LONG
    })
}

/// What the server shows of a pool's connections.
#[derive(Default)]
struct Stuck {
    /// Those that hold an advisory lock in an idle transaction, or idle in session mode.
    pinned: Vec<i32>,
    /// Those that wait for an advisory lock.
    waiting: Vec<i32>,
    /// Who holds what they wait for.
    blockers: Vec<String>,
}

impl Stuck {
    fn all(&self) -> usize {
        self.pinned.len() + self.waiting.len()
    }

    /// Whether none of the pool's connections is left to serve anybody.
    fn is_all_of(&self, queue: &Queue) -> bool {
        self.all() > 0 && self.all() >= queue.servers as usize
    }
}

fn stuck(picture: &Picture<'_>, pooler: &Pooler, queue: &Queue) -> Stuck {
    let mut stuck = Stuck::default();
    let mut blockers: Vec<Owner> = Vec::new();
    for (pid, behind) in picture.behind.all() {
        if !is_of(behind, pooler, queue) {
            continue;
        }
        let session = picture.snapshot.session(pid);
        let waited = session.is_some_and(|session| picture.behind.waited_before(session));
        let wait = picture.waits.wait_of(pid).filter(|_| waited);
        match wait.filter(|wait| wait.lock.target.advisory().is_some()) {
            Some(wait) => {
                stuck.waiting.push(pid);
                blockers.extend(&wait.blockers);
            }
            None if is_pinned(picture, pid, behind) => stuck.pinned.push(pid),
            None => {}
        }
    }
    stuck.pinned.sort_unstable();
    stuck.waiting.sort_unstable();
    blockers.sort_unstable();
    blockers.dedup();
    let named = blockers.into_iter();
    stuck.blockers = named.map(|one| describe::short(picture, one)).collect();
    stuck
}

fn is_of(behind: &Behind<'_>, pooler: &Pooler, queue: &Queue) -> bool {
    behind.pooler.console == pooler.console
        && behind.alias() == queue.alias
        && behind.connection.user == queue.user
}

fn is_pinned(picture: &Picture<'_>, pid: i32, behind: &Behind<'_>) -> bool {
    picture
        .holds_of(Owner::Session(pid))
        .filter(|hold| picture.behind.held_before(hold))
        .any(|hold| match hold.doing() {
            Doing::IdleInTransaction => true,
            doing => doing.is_at_rest() && !behind.mode.shares_connections(),
        })
}

fn finding(pooler: &Pooler, queue: &Queue, stuck: &Stuck) -> Finding {
    let waiting = queue.clients_waiting as usize;
    let is_dead = stuck.is_all_of(queue) || queue.servers == 0 || is_shut(pooler, queue);
    let mut pids: Vec<i32> = [&stuck.pinned[..], &stuck.waiting].concat();
    pids.sort_unstable();
    Finding {
        rule: RULE.name,
        severity: match is_dead {
            true => Severity::Critical,
            false => Severity::Warning,
        },
        certainty: Certainty::Certain,
        harms: waiting,
        title: format!(
            "{} {} in PgBouncer's pool {}, the longest for {}",
            words::count(waiting, "client"),
            words::verb(waiting, "waits", "wait"),
            said::pool(&pooler.console, &queue.alias, &queue.user),
            words::duration(queue.longest_wait),
        ),
        evidence: evidence(pooler, queue, stuck),
        pids,
        keys: Vec::new(),
        advice: vec![Advice::say(advice(pooler, queue, stuck))],
    }
}

fn is_shut(pooler: &Pooler, queue: &Queue) -> bool {
    let alias = pooler.alias(&queue.alias);
    alias.is_some_and(|alias| alias.paused || alias.disabled)
}

fn evidence(pooler: &Pooler, queue: &Queue, stuck: &Stuck) -> Vec<String> {
    let open = queue.servers as usize;
    let alias = pooler.alias(&queue.alias);
    let size = alias.map_or(String::new(), |alias| {
        format!(", pool_size {}", alias.pool_size)
    });
    let mut lines = vec![format!(
        "mode {}, {} open, {} lent{size}",
        pooler.mode(&queue.alias, &queue.user).as_str(),
        words::count(open, "server connection"),
        queue.servers_active
    )];
    if alias.is_some_and(|alias| alias.paused) {
        lines.push("the pool is paused: nothing is lent until RESUME".to_owned());
    }
    if alias.is_some_and(|alias| alias.disabled) {
        lines.push("the database is disabled: new clients are refused until ENABLE".to_owned());
    }
    if stuck.all() > 0 {
        lines.push(format!(
            "{} of {open} do nothing because of advisory locks: {} idle in a transaction or for their client with one, {} waiting for one",
            stuck.all(),
            stuck.pinned.len(),
            stuck.waiting.len()
        ));
    }
    if !stuck.blockers.is_empty() {
        lines.push(format!(
            "what they wait for is held by {}",
            words::some_of(&stuck.blockers, 3)
        ));
    }
    lines
}

fn advice(pooler: &Pooler, queue: &Queue, stuck: &Stuck) -> String {
    let paused = pooler.alias(&queue.alias).is_some_and(|it| it.paused);
    if paused {
        return format!(
            "if whoever paused it is done: `RESUME {};` in the console at {}",
            console_word(&queue.alias),
            pooler.console
        );
    }
    let by_locks = stuck.is_all_of(queue);
    if by_locks && !stuck.blockers.is_empty() {
        return format!(
            "end what all of them wait for first ({}), by the statement of its own finding; a larger pool would only wait with more connections",
            words::some_of(&stuck.blockers, 3)
        );
    }
    if by_locks {
        return "end one of the sessions that hold locks in an idle transaction, by the statement of its own finding; a larger pool would only be pinned a little later".to_owned();
    }
    if queue.servers == 0 {
        return "the pooler has no connection to the server: look into its log for why the server refuses it (no slot left, a password, a host that is down)".to_owned();
    }
    "see what the connections of the pool are at; raise pool_size only if the sum still fits the server".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Expectations;
    use crate::planted::{Plant, PlantPooler, pooler, quiet};
    use crate::snapshot::SessionState::{Active, Idle, IdleInTransaction};
    use crate::snapshot::Snapshot;

    fn findings(snapshot: Snapshot, pooler: Pooler) -> Vec<Finding> {
        let before = snapshot.clone();
        findings_after(&[before], snapshot, pooler)
    }

    fn findings_after(before: &[Snapshot], now: Snapshot, pooler: Pooler) -> Vec<Finding> {
        let now = Snapshot {
            poolers: vec![pooler],
            ..now
        };
        check(&Picture::of(before, &now, &Expectations::default()))
    }

    fn served() -> Pooler {
        let lent = pooler("transaction").serves(10).lends(10, "api");
        lent.serves(11).lends(11, "api")
    }

    #[test]
    fn a_pool_that_locks_have_taken_whole_is_critical_and_names_who_holds() {
        let snapshot = quiet()
            .session(10, IdleInTransaction)
            .holds_in_transaction(10, 1)
            .session(11, Active)
            .waits(11, 7, 9)
            .session(12, Idle)
            .named(12, "leader")
            .holds(12, 7);
        let [found] = &findings(snapshot, served().queues(4, 90))[..] else {
            panic!("one finding");
        };
        assert_eq!((found.severity, found.harms), (Severity::Critical, 4));
        assert_eq!(found.pids, [10, 11]);
        assert!(
            found.advice[0].text.contains("pid 12 (leader)"),
            "{found:?}"
        );
    }

    #[test]
    fn locks_that_only_one_read_of_the_server_shows_take_no_pool() {
        let now = quiet()
            .session(10, IdleInTransaction)
            .holds_in_transaction(10, 1)
            .session(11, Active)
            .waits(11, 1, 9);
        let before = quiet().session(10, Active).session(11, Active);
        let found = findings_after(&[before], now, served().queues(4, 90));
        assert_eq!(found[0].severity, Severity::Warning);
        assert!(found[0].pids.is_empty());
    }

    #[test]
    fn a_pool_that_is_only_busy_is_a_warning() {
        let snapshot = quiet().session(10, Active).session(11, Active);
        let [found] = &findings(snapshot, served().queues(1, 5))[..] else {
            panic!("one finding");
        };
        assert_eq!(found.severity, Severity::Warning);
        assert!(found.advice[0].text.contains("pool_size"));
    }

    #[test]
    fn a_moment_in_the_queue_is_nothing() {
        assert!(findings(quiet(), served().queues(3, 0)).is_empty());
        assert!(findings(quiet(), served().queues(0, 0)).is_empty());
    }

    #[test]
    fn a_paused_pool_wants_to_be_resumed() {
        let mut paused = served().queues(1, 5);
        paused.aliases[0].paused = true;
        let found = findings(quiet(), paused);
        assert_eq!(found[0].severity, Severity::Critical);
        assert!(found[0].advice[0].text.contains("`RESUME shop;`"));
    }

    #[test]
    fn a_pool_without_a_connection_is_told_without_the_server() {
        let found = from_consoles(&[pooler("transaction").queues(2, 30)]);
        assert_eq!(found[0].severity, Severity::Critical);
        assert!(found[0].advice[0].text.contains("no slot left"));
    }
}
