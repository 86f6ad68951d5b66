//! The join: which of a console's server connections is which of the server's sessions.

use std::collections::HashMap;
use std::net::IpAddr;

use crate::snapshot::{PoolMode, Pooler, PoolerClient, ServerConnection, Session, Sight, Snapshot};

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

impl Behind<'_> {
    /// Whether a client has it at the moment.
    pub fn is_lent(&self) -> bool {
        self.connection.link.is_some()
    }

    /// Whether a connection that comes back in session mode keeps its session's locks.
    pub(super) fn keeps_locks(&self) -> bool {
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

/// Each backend that some console has a connection to, by pid.
pub(super) fn joined(snapshot: &Snapshot) -> HashMap<i32, Behind<'_>> {
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
pub(super) fn client_end(session: &Session) -> Option<(IpAddr, u16)> {
    let address: IpAddr = session.client_addr.as_deref()?.parse().ok()?;
    let port = session.client_port.and_then(|port| port.try_into().ok())?;
    Some((address.to_canonical(), port))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::{Plant, PlantPooler, pooler, quiet};
    use crate::snapshot::SessionState::Idle;

    fn holder() -> Snapshot {
        quiet().session(10, Idle).holds(10, 7)
    }

    fn found(change: impl Fn(&mut ServerConnection, &mut Session)) -> Option<Matched> {
        let mut pooler = pooler("transaction").serves(10);
        let mut snapshot = holder();
        change(&mut pooler.servers[0], &mut snapshot.sessions[0]);
        snapshot.poolers = vec![pooler];
        joined(&snapshot).get(&10).map(|it| it.matched)
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
    fn a_hidden_session_is_told_by_its_pid() {
        let mut now = holder().masked(10);
        now.poolers = vec![pooler("transaction").serves(10)];
        now.sort();
        assert_eq!(
            joined(&now).get(&10).map(|it| it.matched),
            Some(Matched::Pid)
        );
    }
}
