//! A pooler as its console showed it: which server connections it has open, to whom each is lent, and who
//! queues for one.

use std::net::IpAddr;
use std::time::Duration;

/// One console's answers, all from one moment between two reads of the server's locks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pooler {
    /// Where its console was: `10.0.0.5:6432`.
    pub console: String,
    /// The address that was dialled; `None` for a Unix socket.
    pub address: Option<IpAddr>,
    /// `PgBouncer 1.18.0`
    pub version: String,
    pub servers: Vec<ServerConnection>,
    pub clients: Vec<PoolerClient>,
    pub queues: Vec<Queue>,
    pub aliases: Vec<Alias>,
    pub users: Vec<PoolerUser>,
    pub settings: PoolerSettings,
}

/// A connection of the pooler to a server: a row of `SHOW SERVERS`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ServerConnection {
    /// The pooler's own name of the database, which need not be the server's.
    pub alias: String,
    /// The role that it logged in as: a forced one where there is one.
    pub user: String,
    pub state: String,
    /// The backend; `None` where the console does not know it (0, or another pooler is behind).
    pub remote_pid: Option<i32>,
    /// The pooler's end, which the server sees as the client's address and port; none over a Unix socket.
    pub local: Option<(IpAddr, u16)>,
    pub identity: Identity,
    /// `ptr` of the client that has it at the moment.
    pub link: Option<String>,
    pub application_name: Option<String>,
    /// A replication connection, which is never shared (1.23 and later).
    pub replicates: bool,
}

/// A connection of a client to the pooler: a row of `SHOW CLIENTS`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PoolerClient {
    pub alias: String,
    pub user: String,
    pub state: String,
    /// As the console has it; `unix` for a Unix socket.
    pub addr: String,
    pub port: Option<u16>,
    pub identity: Identity,
    /// `ptr` of the server connection that it has at the moment.
    pub link: Option<String>,
    /// The client's process, over a Unix socket.
    pub remote_pid: Option<i32>,
    pub application_name: Option<String>,
}

/// What tells one connection from a later one: `ptr` is used again for others, so that it takes `id`
/// (1.24 and later) or the time of its beginning, as the console writes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Identity {
    pub ptr: String,
    pub id: Option<String>,
    pub connect_time: Option<String>,
}

/// A pool: a row of `SHOW POOLS`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Queue {
    pub alias: String,
    pub user: String,
    pub mode: PoolMode,
    /// Clients that have a server connection, or need none at the moment.
    pub clients_active: u32,
    pub clients_waiting: u32,
    /// Server connections of any state, those that log in included.
    pub servers: u32,
    /// Of these, those that are lent to a client.
    pub servers_active: u32,
    /// Of these, those that nobody has and that could be lent.
    pub servers_idle: u32,
    /// How long the client that has waited longest has waited.
    pub longest_wait: Duration,
}

/// When a server connection goes back to the pool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum PoolMode {
    Session,
    Transaction,
    Statement,
    /// The console did not say (1.15 and earlier).
    #[default]
    Unknown,
    Other(String),
}

impl PoolMode {
    pub fn from_word(word: &str) -> Self {
        match word {
            "session" => Self::Session,
            "transaction" => Self::Transaction,
            "statement" => Self::Statement,
            "" | "unknown" => Self::Unknown,
            other => Self::Other(other.to_owned()),
        }
    }

    pub fn as_str(&self) -> &str {
        match self {
            Self::Session => "session",
            Self::Transaction => "transaction",
            Self::Statement => "statement",
            Self::Unknown => "unknown",
            Self::Other(word) => word,
        }
    }

    /// Whether a client may find itself on another connection from one transaction to the next.
    pub fn shares_connections(&self) -> bool {
        matches!(self, Self::Transaction | Self::Statement)
    }
}

/// A database by the name that clients use: a row of `SHOW DATABASES`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Alias {
    pub name: String,
    /// A name, an address or a socket folder; `None` for the default socket.
    pub host: Option<String>,
    pub port: Option<u16>,
    /// What the server calls it.
    pub database: String,
    pub force_user: Option<String>,
    /// Of each user's pool.
    pub pool_size: u32,
    pub reserve_pool: u32,
    /// Over all its pools; `None`: no limit.
    pub most_connections: Option<u32>,
    pub mode: Option<PoolMode>,
    pub paused: bool,
    pub disabled: bool,
}

impl Alias {
    /// The console itself is listed as a database too.
    pub fn is_console(&self) -> bool {
        is_console(&self.name)
    }
}

/// Whether an alias is the console's own.
pub fn is_console(alias: &str) -> bool {
    alias == "pgbouncer"
}

/// Limits of one user (1.23 and later; before that only names): a row of `SHOW USERS`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PoolerUser {
    pub name: String,
    pub pool_size: Option<u32>,
    pub most_connections: Option<u32>,
}

/// What bears on locks of `SHOW CONFIG`. `None`: the console has no such setting.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PoolerSettings {
    pub pool_mode: Option<String>,
    pub server_reset_query: Option<String>,
    pub server_reset_query_always: Option<bool>,
    pub max_user_connections: Option<u32>,
    pub server_lifetime: Option<Duration>,
    pub server_idle_timeout: Option<Duration>,
}

impl PoolerSettings {
    /// Whether the reset query gives up session-level locks; `None` where the query is not known.
    pub fn reset_unlocks(&self) -> Option<bool> {
        let query = self.server_reset_query.as_deref()?.to_ascii_lowercase();
        let words: Vec<&str> = query.split_whitespace().collect();
        let discards = words
            .windows(2)
            .any(|pair| pair[0] == "discard" && pair[1].trim_end_matches(';') == "all");
        Some(discards || query.contains("pg_advisory_unlock_all"))
    }
}

impl Pooler {
    pub fn alias(&self, name: &str) -> Option<&Alias> {
        self.aliases.iter().find(|alias| alias.name == name)
    }

    /// The pool that a server connection belongs to.
    pub fn queue(&self, alias: &str, user: &str) -> Option<&Queue> {
        let mut queues = self.queues.iter();
        queues.find(|queue| queue.alias == alias && queue.user == user)
    }

    /// The mode in force for a pool: what the console says of it, else of the alias, else of all.
    pub fn mode(&self, alias: &str, user: &str) -> PoolMode {
        let of_pool = self.queue(alias, user).map(|queue| queue.mode.clone());
        let of_alias = || self.alias(alias)?.mode.clone();
        let of_all = || self.settings.pool_mode.as_deref().map(PoolMode::from_word);
        of_pool
            .filter(|mode| *mode != PoolMode::Unknown)
            .or_else(of_alias)
            .or_else(of_all)
            .unwrap_or_default()
    }

    /// The client that a server connection is lent to. `link` decides: states mean different things
    /// from version to version.
    pub fn borrower(&self, server: &ServerConnection) -> Option<&PoolerClient> {
        let link = server.link.as_ref()?;
        self.clients
            .iter()
            .find(|client| client.identity.ptr == *link)
    }
}

/// What the consoles said, and which of them said nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Consoles {
    pub answered: Vec<Pooler>,
    pub unread: Vec<super::BlindSpot>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reset(query: &str) -> Option<bool> {
        PoolerSettings {
            server_reset_query: Some(query.to_owned()),
            ..PoolerSettings::default()
        }
        .reset_unlocks()
    }

    #[test]
    fn a_reset_query_unlocks_by_discarding_all_or_by_name() {
        for unlocks in [
            "DISCARD ALL",
            "discard  all;",
            "RESET ALL; DISCARD ALL; SELECT 1",
            "SELECT pg_advisory_unlock_all()",
        ] {
            assert_eq!(reset(unlocks), Some(true), "{unlocks}");
        }
        for keeps in ["", "DISCARD TEMP", "RESET ALL", "DEALLOCATE ALL"] {
            assert_eq!(reset(keeps), Some(false), "{keeps}");
        }
        assert_eq!(PoolerSettings::default().reset_unlocks(), None);
    }

    #[test]
    fn the_mode_of_a_pool_outranks_its_aliass_and_that_of_all() {
        let mut pooler = Pooler {
            settings: PoolerSettings {
                pool_mode: Some("statement".to_owned()),
                ..PoolerSettings::default()
            },
            ..Pooler::default()
        };
        assert_eq!(pooler.mode("shop", "app"), PoolMode::Statement);
        pooler.aliases.push(Alias {
            name: "shop".to_owned(),
            mode: Some(PoolMode::Session),
            ..Alias::default()
        });
        assert_eq!(pooler.mode("shop", "app"), PoolMode::Session);
        pooler.queues.push(Queue {
            alias: "shop".to_owned(),
            user: "app".to_owned(),
            mode: PoolMode::Transaction,
            ..Queue::default()
        });
        assert_eq!(pooler.mode("shop", "app"), PoolMode::Transaction);
        assert_eq!(pooler.mode("shop", "other"), PoolMode::Session);
    }
}
