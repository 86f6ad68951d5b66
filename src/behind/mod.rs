//! Who is behind which backend: the consoles' server connections joined with the server's sessions.
//!
//! A console and a server are never read at one moment. What is said here of a hold is true only if the
//! server showed it before and after the console was read.

mod agreement;
mod borrowers;
mod orphans;

use std::collections::HashMap;
use std::net::IpAddr;

use crate::hold::{Hold, ScopeBasis};
use crate::snapshot::{
    BlindSpot, PoolMode, Pooler, PoolerClient, ServerConnection, Session, Sight, Snapshot,
};
use agreement::Agreement;
use borrowers::Borrowers;
pub use orphans::Orphan;

/// A backend that is a pooler's server connection.
#[derive(Debug)]
pub struct Behind<'a> {
    pub pooler: &'a Pooler,
    pub connection: &'a ServerConnection,
    pub mode: PoolMode,
    pub matched: Matched,
    /// Whom it is lent to; `None` too where it is lent to a client that the console did not list.
    pub client: Option<&'a PoolerClient>,
}

/// What tells that a server connection and a backend are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matched {
    /// The pid, and the address and port on both ends.
    Address,
    /// The pid, the database and the role: over a Unix socket there is no port, and hidden rows show
    /// none.
    Pid,
}

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
    pub fn borrowers(&self, pid: i32) -> &[String] {
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

impl Behind<'_> {
    /// Whether a client has it at the moment.
    pub fn is_lent(&self) -> bool {
        self.connection.link.is_some()
    }

    /// Whether a connection that comes back in session mode keeps its session's locks.
    fn keeps_locks(&self) -> bool {
        self.mode == PoolMode::Session && self.pooler.settings.reset_unlocks() == Some(false)
    }

    /// Whether a client may get it with the locks of an earlier one on it.
    pub fn passes_locks_on(&self) -> bool {
        self.mode.shares_connections() || self.keeps_locks()
    }

    pub fn alias(&self) -> &str {
        &self.connection.alias
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

fn joined(snapshot: &Snapshot) -> HashMap<i32, Behind<'_>> {
    let connections = snapshot.poolers.iter().flat_map(|pooler| {
        let servers = pooler.servers.iter();
        servers.map(move |connection| (pooler, connection))
    });
    let mut by_pid: HashMap<i32, Behind<'_>> = HashMap::new();
    for (pooler, connection) in connections {
        let Some(session) = connection.remote_pid.and_then(|pid| snapshot.session(pid)) else {
            continue;
        };
        let Some(matched) = matched(pooler, connection, session) else {
            continue;
        };
        let behind = Behind {
            pooler,
            connection,
            mode: match connection.replicates {
                true => PoolMode::Session,
                false => pooler.mode(&connection.alias, &connection.user),
            },
            matched,
            client: pooler.borrower(connection),
        };
        // By the address it is the very connection; by the pid alone another pooler's may look like it.
        match by_pid.get(&session.pid).map(|known| known.matched) {
            Some(Matched::Address) => {}
            Some(Matched::Pid) if matched == Matched::Pid => {}
            _ => drop(by_pid.insert(session.pid, behind)),
        }
    }
    by_pid
}

/// One PgBouncer may have servers of several clusters, whose pids recur.
fn matched(pooler: &Pooler, connection: &ServerConnection, session: &Session) -> Option<Matched> {
    let database = pooler
        .alias(&connection.alias)
        .map(|alias| alias.database.as_str());
    let is_or_unknown =
        |ours: &Option<String>, theirs: Option<&str>| match (ours.as_deref(), theirs) {
            (Some(ours), Some(theirs)) => ours == theirs,
            _ => true,
        };
    if !is_or_unknown(&session.datname, database)
        || !is_or_unknown(&session.usename, Some(&connection.user))
    {
        return None;
    }
    match (client_end(session), connection.local) {
        (Some(seen), Some(local)) => (seen == local).then_some(Matched::Address),
        // A Unix socket on both ends, or a row that shows no address.
        (None, local) => {
            (local.is_none() || session.sight == Sight::Masked).then_some(Matched::Pid)
        }
        (Some(_), None) => None,
    }
}

/// The address and port that the server sees its client at.
fn client_end(session: &Session) -> Option<(IpAddr, u16)> {
    let address: IpAddr = session.client_addr.as_deref()?.parse().ok()?;
    let port = session.client_port.and_then(|port| port.try_into().ok())?;
    Some((address.to_canonical(), port))
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

    fn found(change: impl Fn(&mut ServerConnection, &mut Session)) -> Option<Matched> {
        let mut pooler = pooler("transaction").serves(10);
        let mut snapshot = holder();
        change(&mut pooler.servers[0], &mut snapshot.sessions[0]);
        let now = with(snapshot, pooler);
        Backends::of(&[], &now).session(10).map(|it| it.matched)
    }

    #[test]
    fn a_backend_is_told_by_its_pid_and_both_ends_of_its_socket() {
        assert_eq!(found(|_, _| {}), Some(Matched::Address));
        assert_eq!(found(|it, _| it.remote_pid = Some(11)), None);
        let port = |it: &mut ServerConnection, _: &mut Session| {
            it.local = it.local.map(|(address, port)| (address, port + 1));
        };
        assert_eq!(found(port), None, "another cluster's backend of that pid");
        assert_eq!(found(|it, _| it.user = "other".to_owned()), None);
        assert_eq!(
            found(|_, session| session.datname = Some("other".to_owned())),
            None
        );
        let mapped = |_: &mut ServerConnection, session: &mut Session| {
            session.client_addr = Some("::ffff:10.0.0.7".to_owned());
        };
        assert_eq!(found(mapped), Some(Matched::Address));
    }

    #[test]
    fn over_a_unix_socket_there_is_only_the_pid() {
        let unix = |it: &mut ServerConnection, session: &mut Session| {
            it.local = None;
            session.client_addr = None;
            session.client_port = Some(-1);
        };
        assert_eq!(found(unix), Some(Matched::Pid));
        assert_eq!(found(|it, _| it.local = None), None, "ends that differ");
        let only_theirs = |_: &mut ServerConnection, session: &mut Session| {
            session.client_addr = None;
            session.client_port = Some(-1);
        };
        assert_eq!(found(only_theirs), None, "ends that differ");
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

    #[test]
    fn a_hidden_session_is_told_by_its_pid() {
        let mut now = with(holder().masked(10), pooler("transaction").serves(10));
        now.sort();
        let backends = Backends::of(&[], &now);
        assert_eq!(
            backends.session(10).map(|it| it.matched),
            Some(Matched::Pid)
        );
    }
}
