//! Sessions that wait in the server for a client that is gone: PgBouncer forgets the connection when its
//! client leaves, and a backend that waits for a lock does not look at its socket.

use std::collections::{HashMap, HashSet};
use std::time::SystemTime;

use super::agreement::Agreement;
use super::join::{Behind, client_end, joined};
use crate::certainty::Certainty;
use crate::snapshot::{Pooler, Session, Snapshot};

/// One of them.
#[derive(Debug)]
pub struct Orphan<'a> {
    pub session: &'a Session,
    /// The pooler that it comes from.
    pub pooler: &'a Pooler,
    pub certainty: Certainty,
}

pub(super) fn all<'a>(
    earlier: &[Snapshot],
    snapshot: &'a Snapshot,
    by_pid: &HashMap<i32, Behind<'a>>,
    agreement: &Agreement,
) -> Vec<Orphan<'a>> {
    let listed = listed_before(earlier);
    let waiting = snapshot.locks.iter().filter(|lock| !lock.granted);
    let pids: HashSet<i32> = waiting
        .filter(|lock| lock.target.advisory().is_some())
        .filter_map(|lock| lock.owner.pid())
        .filter(|pid| !is_listed(snapshot, *pid))
        .collect();
    let mut sessions: Vec<&Session> = pids
        .into_iter()
        .filter_map(|pid| snapshot.session(pid))
        .filter(|session| agreement.waited_before(session))
        .collect();
    sessions.sort_by_key(|session| session.pid);
    let orphan = |session: &'a Session| {
        let id = (session.pid, session.backend_start);
        let known = listed
            .get(&id)
            .and_then(|console| snapshot.poolers.iter().find(|it| it.console == *console));
        match known {
            Some(pooler) => Some(Orphan {
                session,
                pooler,
                certainty: Certainty::Certain,
            }),
            None => by_address(snapshot, by_pid, session),
        }
    };
    sessions.into_iter().filter_map(orphan).collect()
}

/// Whether any console knows of a backend with this pid, by whatever address.
fn is_listed(snapshot: &Snapshot, pid: i32) -> bool {
    let mut servers = snapshot.poolers.iter().flat_map(|pooler| &pooler.servers);
    servers.any(|server| server.remote_pid == Some(pid))
}

type Backend = (i32, Option<SystemTime>);

/// Backends that a console listed earlier in this run, and which one did.
fn listed_before(earlier: &[Snapshot]) -> HashMap<Backend, String> {
    let mut listed = HashMap::new();
    for snapshot in earlier {
        for (pid, behind) in joined(snapshot) {
            let start = snapshot.session(pid).and_then(|it| it.backend_start);
            listed.insert((pid, start), behind.pooler.console.clone());
        }
    }
    listed
}

/// A session that comes from where the pooler's connections come from, to one of its databases in one of
/// its roles. An application on the pooler's own host may look the same, so it is likely only where
/// everybody else from there is the pooler's.
fn by_address<'a>(
    snapshot: &'a Snapshot,
    by_pid: &HashMap<i32, Behind<'a>>,
    session: &'a Session,
) -> Option<Orphan<'a>> {
    let (address, _) = client_end(session)?;
    let pooler = snapshot.poolers.iter().find(|pooler| {
        let sends_from = pooler.servers.iter().filter_map(|server| server.local);
        let mut addresses = sends_from.map(|(address, _)| address).chain(pooler.address);
        addresses.any(|one| one == address) && has_a_pool_for(pooler, session)
    })?;
    let mut others = snapshot.sessions.iter().filter(|other| {
        let from_there = client_end(other).is_some_and(|(from, _)| from == address);
        from_there && other.pid != session.pid && other.pid != snapshot.viewer.pid
    });
    let only_its_own =
        !address.is_loopback() && others.all(|other| by_pid.contains_key(&other.pid));
    Some(Orphan {
        session,
        pooler,
        certainty: match only_its_own {
            true => Certainty::Likely,
            false => Certainty::Possible,
        },
    })
}

fn has_a_pool_for(pooler: &Pooler, session: &Session) -> bool {
    let mut queues = pooler.queues.iter();
    queues.any(|queue| {
        let database = pooler.alias(&queue.alias).map(|it| it.database.as_str());
        session.usename.as_deref() == Some(queue.user.as_str())
            && session.datname.as_deref() == database
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::{Plant, PlantPooler, pooler, quiet};
    use crate::pooler::backends::Backends;
    use crate::snapshot::SessionState::{Active, Idle};

    fn queue() -> Snapshot {
        quiet()
            .session(10, Idle)
            .at(10, "10.0.0.99")
            .holds(10, 7)
            .session(11, Active)
            .waits(11, 7, 5)
    }

    fn with(snapshot: Snapshot, pooler: Pooler) -> Snapshot {
        Snapshot {
            poolers: vec![pooler],
            ..snapshot
        }
    }

    fn orphans(before: Snapshot, now: &Snapshot) -> Vec<(i32, Certainty)> {
        let backends = Backends::of(&[before], now);
        let orphans = backends.orphans().iter();
        orphans.map(|it| (it.session.pid, it.certainty)).collect()
    }

    #[test]
    fn a_waiter_that_its_console_has_dropped_is_one_for_certain() {
        let before = with(queue(), pooler("transaction").serves(11).lends(11, "pod"));
        let now = with(queue(), pooler("transaction").has_a_pool());
        assert_eq!(orphans(before, &now), [(11, Certainty::Certain)]);
    }

    #[test]
    fn a_waiter_from_where_only_the_pooler_is_likely_is_one() {
        let mut console = pooler("transaction").has_a_pool();
        console.address = "10.0.0.7".parse().ok();
        let now = with(queue(), console);
        assert_eq!(orphans(queue(), &now), [(11, Certainty::Likely)]);
    }

    #[test]
    fn on_the_servers_own_machine_it_is_only_possible() {
        let local = || queue().at(11, "127.0.0.1");
        let mut console = pooler("transaction").has_a_pool();
        console.address = "127.0.0.1".parse().ok();
        let now = with(local(), console);
        assert_eq!(orphans(local(), &now), [(11, Certainty::Possible)]);
    }

    #[test]
    fn where_others_come_from_too_it_is_only_possible() {
        let mut console = pooler("transaction").has_a_pool();
        console.address = "10.0.0.7".parse().ok();
        let crowd = || queue().session(12, Idle);
        let now = with(crowd(), console);
        assert_eq!(orphans(crowd(), &now), [(11, Certainty::Possible)]);
    }

    #[test]
    fn a_waiter_that_is_listed_or_from_elsewhere_is_none() {
        let lent = pooler("transaction").serves(11).lends(11, "pod");
        assert!(orphans(queue(), &with(queue(), lent)).is_empty());
        let other = pooler("transaction").has_a_pool();
        assert!(orphans(queue(), &with(queue(), other)).is_empty());
    }

    #[test]
    fn one_that_did_not_wait_before_the_console_was_read_may_be_new() {
        let mut console = pooler("transaction").has_a_pool();
        console.address = "10.0.0.7".parse().ok();
        let before = quiet().session(11, Active);
        assert!(orphans(before, &with(queue(), console)).is_empty());
    }

    #[test]
    fn a_console_that_is_silent_now_drops_nobody() {
        let before = with(queue(), pooler("transaction").serves(11).lends(11, "pod"));
        assert!(orphans(before, &queue()).is_empty());
    }
}
