//! Connection pools as the server can see them: sessions of one database, role, application and client.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use crate::hold::{Doing, Hold};
use crate::pooler::backends::{Backends, Behind};
use crate::snapshot::{Owner, PoolerClient, Session, Snapshot};
use crate::waits::WaitGraph;

/// What makes sessions one instance's pool, as far as a server can tell.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PoolKey {
    pub datname: Option<String>,
    pub usename: Option<String>,
    pub application_name: Option<String>,
    /// `None` for Unix sockets, and where the address is hidden.
    pub client_addr: Option<String>,
    /// The console of the pooler in between; application and address are then those of the client
    /// that has the connection, and `None` where none has.
    pub pooler: Option<String>,
}

/// What the pools are worked out from.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'b, 'a> {
    pub holds: &'b [Hold<'a>],
    pub waits: &'b WaitGraph<'a>,
    pub behind: &'b Backends<'a>,
}

/// The client sessions of one instance, by what they do.
#[derive(Debug, Clone)]
pub struct Pool<'a> {
    pub key: PoolKey,
    pub sessions: Vec<&'a Session>,
    /// The pool's size as the user told it.
    pub size: Option<u32>,
    /// Sessions that hold an advisory lock and do nothing: their connection is of no use to anybody.
    pub pinned: Vec<i32>,
    /// Sessions that wait for an advisory lock.
    pub waiting: Vec<i32>,
    /// Waiting sessions whose lock is held by a session of this same pool.
    pub waiting_on_itself: Vec<i32>,
    /// Connections of the instance to its pooler that have none to the server at the moment, and want
    /// none.
    pub free_clients: usize,
    /// Sessions whose state is hidden and that hold no advisory lock.
    pub unseen: usize,
    /// Since when the last of the pinned or waiting sessions has been so, where known.
    pub stuck_for: Option<Duration>,
}

/// How far the pool is from serving nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Starvation {
    /// Some connection is free or at work.
    No,
    /// Every connection that is open is pinned or waits; more might be opened.
    AllThatAreOpen,
    /// As many as the pool can have are pinned or wait.
    Proven,
}

impl<'a> Pool<'a> {
    /// All pools, the most pinned first.
    pub fn all(
        snapshot: &'a Snapshot,
        seen: Seen<'_, 'a>,
        sizes: &BTreeMap<String, u32>,
    ) -> Vec<Self> {
        let mut groups: BTreeMap<PoolKey, Vec<&Session>> = BTreeMap::new();
        for session in &snapshot.sessions {
            if session.is_client_backend() && session.pid != snapshot.viewer.pid {
                let key = key_of(session, seen.behind.session(session.pid));
                groups.entry(key).or_default().push(session);
            }
        }
        let doing = doing_by_pid(seen);
        let free = free_clients(snapshot);
        let mut pools: Vec<Self> = groups
            .into_iter()
            .map(|(key, sessions)| {
                let free_clients = free.get(&key).copied().unwrap_or(0);
                let pool = Self::of(key, sessions, &doing, sizes);
                Self {
                    free_clients,
                    ..pool.with_waits(snapshot, seen.waits)
                }
            })
            .collect();
        pools.sort_by_key(|pool| std::cmp::Reverse(pool.stuck()));
        pools
    }

    fn of(
        key: PoolKey,
        sessions: Vec<&'a Session>,
        doing: &HashMap<i32, Doing>,
        sizes: &BTreeMap<String, u32>,
    ) -> Self {
        let size = key
            .application_name
            .as_ref()
            .and_then(|name| sizes.get(name).copied());
        let pinned = sessions
            .iter()
            .map(|session| session.pid)
            .filter(|pid| doing.get(pid).is_some_and(|doing| doing.is_at_rest()))
            .collect();
        let unseen = sessions
            .iter()
            .filter(|session| !session.state_is_known() && !doing.contains_key(&session.pid))
            .count();
        Self {
            key,
            sessions,
            size,
            pinned,
            waiting: Vec::new(),
            waiting_on_itself: Vec::new(),
            free_clients: 0,
            unseen,
            stuck_for: None,
        }
    }

    fn with_waits(mut self, snapshot: &Snapshot, waits: &WaitGraph<'_>) -> Self {
        let members: HashSet<i32> = self.sessions.iter().map(|session| session.pid).collect();
        let is_member = |owner: &Owner| owner.pid().is_some_and(|pid| members.contains(&pid));
        for session in &self.sessions {
            let Some(wait) = waits.wait_of(session.pid) else {
                continue;
            };
            if wait.lock.target.advisory().is_some() {
                self.waiting.push(session.pid);
                if wait.blockers.iter().any(is_member) {
                    self.waiting_on_itself.push(session.pid);
                }
            }
        }
        self.pinned.retain(|pid| !self.waiting.contains(pid));
        self.stuck_for = self.stuck_for(snapshot, waits);
        self
    }

    fn stuck_for(&self, snapshot: &Snapshot, waits: &WaitGraph<'_>) -> Option<Duration> {
        let rests = self.pinned.iter().map(|pid| {
            let since = snapshot.session(*pid)?.state_change?;
            Some(snapshot.age(since))
        });
        let waits = self.waiting.iter().map(|pid| waits.wait_of(*pid)?.waiting);
        rests
            .chain(waits)
            .collect::<Option<Vec<_>>>()?
            .into_iter()
            .min()
    }

    /// Connections that serve nobody.
    pub fn stuck(&self) -> usize {
        self.pinned.len() + self.waiting.len()
    }

    /// Connections that are open and neither pinned nor waiting.
    pub fn serving(&self) -> usize {
        self.sessions.len() - self.stuck() + self.free_clients
    }

    pub fn starvation(&self) -> Starvation {
        let everything_is_stuck = self.stuck() > 0 && self.serving() == 0;
        match self.size {
            _ if !everything_is_stuck => Starvation::No,
            Some(size) if self.stuck() >= size as usize => Starvation::Proven,
            Some(_) => Starvation::No,
            // One session that holds a lock is the picture of any leader; sessions that all wait are
            // a queue of whatever length.
            None if self.stuck() < 2 || self.pinned.is_empty() => Starvation::No,
            None => Starvation::AllThatAreOpen,
        }
    }
}

fn key_of(session: &Session, behind: Option<&Behind<'_>>) -> PoolKey {
    let (application_name, client_addr) = match behind {
        None => (
            session.application_name.clone(),
            session.client_addr.clone(),
        ),
        Some(behind) => match behind.client {
            Some(client) => (client.application_name.clone(), address_of(client)),
            // What the server shows is whoever had it last.
            None => (None, None),
        },
    };
    PoolKey {
        datname: session.datname.clone(),
        usename: session.usename.clone(),
        application_name,
        client_addr,
        pooler: behind.map(|behind| behind.pooler.console.clone()),
    }
}

/// `unix` for a Unix socket, as the console has it: no address is "no client".
fn address_of(client: &PoolerClient) -> Option<String> {
    Some(client.addr.clone())
}

/// Clients without a server connection, under the key that they have with one.
fn free_clients(snapshot: &Snapshot) -> HashMap<PoolKey, usize> {
    let mut free: HashMap<PoolKey, usize> = HashMap::new();
    for pooler in &snapshot.poolers {
        let idle = pooler.clients.iter();
        for client in idle.filter(|client| client.link.is_none() && client.state != "waiting") {
            let alias = pooler.alias(&client.alias);
            let forced = alias.and_then(|alias| alias.force_user.clone());
            let key = PoolKey {
                datname: alias.map(|alias| alias.database.clone()),
                usename: Some(forced.unwrap_or_else(|| client.user.clone())),
                application_name: client.application_name.clone(),
                client_addr: address_of(client),
                pooler: Some(pooler.console.clone()),
            };
            *free.entry(key).or_default() += 1;
        }
    }
    free
}

fn doing_by_pid(seen: Seen<'_, '_>) -> HashMap<i32, Doing> {
    seen.holds
        .iter()
        .filter_map(|hold| {
            let pid = hold.pid()?;
            pins_its_client(seen.behind, pid, hold).then(|| (pid, hold.doing()))
        })
        .collect()
}

/// A session's lock pins no connection that its pooler lends by the transaction: the next client gets
/// the connection, and the lock with it. And whose connection it is, a console told a moment before: the
/// lock must have been there by then.
fn pins_its_client(behind: &Backends<'_>, pid: i32, hold: &Hold<'_>) -> bool {
    match behind.session(pid) {
        None => true,
        Some(one) => {
            let by_transaction = one.mode.shares_connections();
            let rests = hold.doing() == Doing::IdleInTransaction || !by_transaction;
            rests && behind.held_before(hold)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::History;
    use crate::planted::{Plant, PlantPooler, pooler, quiet};
    use crate::snapshot::SessionState::{Active, Idle, IdleInTransaction};

    /// `pinned` idle holders, then `free` idle sessions, all of the instance `api`.
    fn instance(pinned: i32, free: i32) -> Snapshot {
        let mut snapshot = quiet();
        for pid in 10..10 + pinned {
            snapshot = snapshot.session(pid, Idle).holds(pid, pid.into());
        }
        for pid in 10 + pinned..10 + pinned + free {
            snapshot = snapshot.session(pid, Idle);
        }
        snapshot
    }

    fn pools<'a>(
        snapshot: &'a Snapshot,
        holds: &[Hold<'a>],
        sizes: &BTreeMap<String, u32>,
    ) -> Vec<Pool<'a>> {
        let seen = Seen {
            holds,
            waits: &WaitGraph::of(snapshot),
            behind: &Backends::of(std::slice::from_ref(snapshot), snapshot),
        };
        Pool::all(snapshot, seen, sizes)
    }

    fn starvation(snapshot: &Snapshot, size: Option<u32>) -> Starvation {
        let sizes = size
            .map(|size| ("api".to_owned(), size))
            .into_iter()
            .collect();
        let holds = Hold::all(snapshot, &History::default());
        let pools = pools(snapshot, &holds, &sizes);
        assert_eq!(pools.len(), 1);
        pools[0].starvation()
    }

    #[test]
    fn a_pool_whose_every_connection_is_pinned_is_starved() {
        assert_eq!(starvation(&instance(4, 0), Some(4)), Starvation::Proven);
        assert_eq!(
            starvation(&instance(4, 0), None),
            Starvation::AllThatAreOpen
        );
        assert_eq!(starvation(&instance(1, 0), Some(1)), Starvation::Proven);
    }

    #[test]
    fn a_pool_with_a_connection_to_spare_is_not() {
        assert_eq!(starvation(&instance(3, 1), Some(4)), Starvation::No);
        assert_eq!(starvation(&instance(3, 1), None), Starvation::No);
        assert_eq!(starvation(&instance(4, 0), Some(5)), Starvation::No);
    }

    #[test]
    fn a_lone_holder_of_an_unknown_pool_is_the_picture_of_any_leader() {
        assert_eq!(starvation(&instance(1, 0), None), Starvation::No);
    }

    #[test]
    fn a_holder_at_work_uses_its_connection() {
        let snapshot = instance(3, 0).session(20, Active).holds(20, 99);
        assert_eq!(starvation(&snapshot, Some(4)), Starvation::No);
    }

    #[test]
    fn waiters_for_the_pools_own_key_are_told_apart() {
        let snapshot = quiet()
            .session(10, Idle)
            .holds(10, 7)
            .session(11, Active)
            .waits(11, 7, 5)
            .session(12, Active)
            .named(12, "other")
            .holds(12, 8)
            .session(13, Active)
            .waits(13, 8, 5);
        let holds = Hold::all(&snapshot, &History::default());
        let pools = pools(&snapshot, &holds, &BTreeMap::new());
        let api = &pools[0];
        assert_eq!(
            (&api.pinned[..], &api.waiting[..]),
            (&[10][..], &[11, 13][..])
        );
        assert_eq!(api.waiting_on_itself, [11]);
        assert_eq!(api.stuck_for, Some(Duration::from_secs(5)));
    }

    fn behind(mode: &str) -> Snapshot {
        let mut snapshot = quiet();
        for pid in [10, 11] {
            snapshot = snapshot
                .session(pid, IdleInTransaction)
                .named(pid, "whoever was here last")
                .holds_in_transaction(pid, pid.into());
        }
        let lent = pooler(mode).serves(10).lends(10, "billing");
        snapshot.poolers = vec![lent.serves(11).lends(11, "billing").serves(12)];
        snapshot.session(12, Idle).holds(12, 12)
    }

    #[test]
    fn behind_a_pooler_the_clients_are_the_pool() {
        let snapshot = behind("transaction");
        let holds = Hold::all(&snapshot, &History::default());
        let sizes = BTreeMap::from([("billing".to_owned(), 2)]);
        let pools = pools(&snapshot, &holds, &sizes);
        let billing = &pools[0];
        assert_eq!(billing.key.application_name.as_deref(), Some("billing"));
        assert_eq!(billing.key.client_addr.as_deref(), Some("10.0.0.9"));
        assert_eq!(billing.key.pooler.as_deref(), Some("10.0.0.5:6432"));
        assert_eq!(billing.starvation(), Starvation::Proven);
        let free = &pools[1];
        assert_eq!(
            (&free.key.application_name, &free.key.client_addr),
            (&None, &None)
        );
        assert!(free.pinned.is_empty(), "a stranded lock pins no connection");
    }

    #[test]
    fn a_client_that_needs_no_server_connection_can_still_work() {
        let mut snapshot = behind("transaction");
        let mut idle = snapshot.poolers[0].clients[0].clone();
        idle.link = None;
        idle.identity.ptr = "0xc".to_owned();
        snapshot.poolers[0].clients.push(idle);
        let holds = Hold::all(&snapshot, &History::default());
        let pools = pools(&snapshot, &holds, &BTreeMap::new());
        assert_eq!(pools[0].free_clients, 1);
        assert_eq!(pools[0].starvation(), Starvation::No);
    }
}
