//! The plan: who opens connections, how many, and when. Plain values, as the user meant them.

use std::collections::BTreeMap;
use std::time::Duration;

use super::deploy::Deploy;
use super::server::Server;
use crate::place::Place;

/// All that shares one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub server: Server,
    pub policy: Policy,
    pub roles: Vec<Role>,
    pub poolers: Vec<Pooler>,
    pub externals: Vec<External>,
    pub limits: Vec<Limit>,
}

/// What the user wants to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Per cent of the usable slots, at the peak.
    pub warn_above: u64,
    /// Slots that must stay free at the peak: a client that vanished keeps its slot until a
    /// keepalive notices.
    pub min_free: u64,
    pub deploys: Deploys,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            warn_above: 80,
            min_free: 0,
            deploys: Deploys::Together,
        }
    }
}

/// Whether roles are deployed at the same moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deploys {
    Together,
    OneAtATime,
}

/// One kind of process: web, worker, cron.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    pub name: String,
    /// Pods, tasks, dynos, hosts.
    pub nodes: u64,
    /// Where an autoscaler may take it.
    pub max_nodes: Option<u64>,
    /// On each node; each has a pool of its own.
    pub processes: u64,
    pub pool: u64,
    /// What the pool may open beyond its size.
    pub overflow: u64,
    /// On each process, outside the pool: LISTEN, a leader's lock.
    pub extra: u64,
    pub user: String,
    pub database: String,
    /// As the server sees it, to find its sessions.
    pub application_name: String,
    /// The pooler that it goes through; `None`: it connects directly.
    pub via: Option<String>,
    pub deploy: Deploy,
    pub locks: Vec<Lock>,
    pub place: Option<Place>,
}

impl Role {
    /// Nodes to budget for: all that an autoscaler may start.
    pub fn desired(&self) -> u64 {
        self.max_nodes.unwrap_or(self.nodes).max(self.nodes)
    }

    /// The most connections that one process's pool may open.
    pub fn pool_ceiling(&self) -> Option<u64> {
        self.pool.checked_add(self.overflow)
    }
}

/// How many connections the pools of one node have together, by application name: what a server can
/// see of an instance. Roles behind a pooler are left out: the pooler's connections are everybody's.
pub fn pool_sizes(roles: &[Role]) -> BTreeMap<String, u32> {
    let direct = roles.iter().filter(|role| role.via.is_none());
    let sizes = direct.filter_map(|role| {
        let size = role.processes.checked_mul(role.pool_ceiling()?)?;
        Some((role.application_name.clone(), u32::try_from(size).ok()?))
    });
    sizes.collect()
}

/// A lock that work holds while it keeps its connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lock {
    pub name: String,
    /// Held at once by one process.
    pub concurrency: u64,
    /// Further connections of the same pool that a holder takes meanwhile.
    pub needs: u64,
    pub hold: Option<Duration>,
    pub scope: Scope,
    /// Size of a pool that only these locks use.
    pub own_pool: Option<u64>,
    /// How often one process wants it.
    pub rate: Option<Rate>,
    /// The longest that 99 of 100 may wait.
    pub max_wait: Option<Duration>,
    pub place: Option<Place>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Transaction,
    Session,
}

/// So many in so much time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    pub events: u64,
    pub per: Duration,
}

/// A PgBouncer, or something that multiplies pools as it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pooler {
    pub name: String,
    /// Each process has its own pools.
    pub processes: u64,
    /// For each pair of user and database.
    pub pool_size: u64,
    pub reserve_pool_size: u64,
    /// For each database; `None`: no cap.
    pub max_db_connections: Option<u64>,
    /// For each user; `None`: no cap.
    pub max_user_connections: Option<u64>,
    /// Client connections of one process.
    pub max_client_conn: u64,
    pub mode: PoolMode,
    /// Pairs of user and database that no role of the plan stands for, each with both its own.
    pub other_pairs: u64,
    pub deploy: Deploy,
    pub place: Option<Place>,
}

/// How long a client keeps a server connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoolMode {
    Session,
    Transaction,
    Statement,
}

impl PoolMode {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Transaction => "transaction",
            Self::Statement => "statement",
        }
    }
}

/// Whoever else connects: a backup, an exporter, a migration, somebody with psql.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct External {
    pub name: String,
    pub connections: u64,
    pub when: When,
    pub kind: ConnectionKind,
    /// As whom, and where to, if a CONNECTION LIMIT may count it.
    pub user: Option<String>,
    pub database: Option<String>,
    pub place: Option<Place>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    Always,
    OnlyDuringADeploy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionKind {
    Client,
    /// Replication: from PostgreSQL 12 on these have seats of their own.
    Walsender,
}

/// ALTER ROLE or ALTER DATABASE … CONNECTION LIMIT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    pub whose: Whose,
    pub connections: u64,
    pub place: Option<Place>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whose {
    User(String),
    Database(String),
}

impl Whose {
    /// ``user `app` ``
    pub fn said(&self) -> String {
        match self {
            Self::User(name) => format!("user `{name}`"),
            Self::Database(name) => format!("database `{name}`"),
        }
    }
}
