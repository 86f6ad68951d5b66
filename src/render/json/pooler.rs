//! A pooler as JSON: its pools and its connections, by the console's own words.

use serde::Serialize;

use super::value::seconds;
use crate::picture::Picture;
use crate::pooler::backends::{Behind, Matched};
use crate::snapshot::{Pooler, PoolerClient, PoolerSettings, Queue, ServerConnection, is_console};

/// What a console of `--pgbouncer` said.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct PoolerObject {
    /// Where the console was: `10.0.0.5:6432`
    console: String,
    version: String,
    settings: PoolerSettingsObject,
    pools: Vec<PoolerPoolObject>,
    /// Connections to servers: of every server that the pooler leads to.
    servers: Vec<PoolerServerObject>,
    /// Connections of clients, those to the console left out.
    clients: usize,
}

/// Settings by their own names; null where the console did not say.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PoolerSettingsObject {
    pool_mode: Option<String>,
    server_reset_query: Option<String>,
    server_reset_query_always: Option<bool>,
    max_user_connections: Option<u32>,
    server_lifetime_seconds: Option<f64>,
    server_idle_timeout_seconds: Option<f64>,
}

/// The connections of one database and user.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PoolerPoolObject {
    /// The pooler's name of the database.
    alias: String,
    user: String,
    /// `session`, `transaction`, `statement` or `unknown`
    pool_mode: String,
    /// The server's name of the database; null where the console did not say.
    database: Option<String>,
    pool_size: Option<u32>,
    paused: Option<bool>,
    disabled: Option<bool>,
    clients_active: u32,
    clients_waiting: u32,
    servers: u32,
    servers_active: u32,
    longest_wait_seconds: f64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PoolerServerObject {
    alias: String,
    user: String,
    /// As the console has it: it need not be of the server that was scanned.
    remote_pid: Option<i32>,
    local_addr: Option<String>,
    local_port: Option<u16>,
    /// Whether a client has it at the moment.
    linked: bool,
    client: Option<PoolerClientObject>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::render) struct PoolerClientObject {
    pub(in crate::render) user: String,
    pub(in crate::render) application_name: Option<String>,
    /// `unix` for a Unix socket
    pub(in crate::render) addr: String,
    pub(in crate::render) port: Option<u16>,
    /// The client's process, over a Unix socket.
    pub(in crate::render) remote_pid: Option<i32>,
}

/// Where a lock's session stands in a pooler.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::render) struct LockPoolerObject {
    pub(in crate::render) console: String,
    pub(in crate::render) alias: String,
    pub(in crate::render) pool_mode: String,
    /// `address` (pid, address and port) or `pid` (pid, database and role)
    pub(in crate::render) matched_by: &'static str,
    /// Whether a client has the connection at the moment.
    pub(in crate::render) linked: bool,
    /// The latest borrower, who need not be the one who locked; null where none has it.
    pub(in crate::render) client: Option<PoolerClientObject>,
}

pub(super) fn poolers(poolers: &[Pooler]) -> Vec<PoolerObject> {
    poolers.iter().map(pooler).collect()
}

/// Of the session with this lock; `None` where no console knows it.
pub(super) fn of_session(picture: &Picture<'_>, pid: Option<i32>) -> Option<LockPoolerObject> {
    let behind = picture.behind.session(pid?)?;
    let Behind {
        pooler,
        connection,
        mode,
        matched,
        client: borrower,
    } = behind;
    Some(LockPoolerObject {
        console: pooler.console.clone(),
        alias: connection.alias.clone(),
        pool_mode: mode.as_str().to_owned(),
        matched_by: match matched {
            Matched::Address => "address",
            Matched::Pid => "pid",
        },
        linked: behind.is_lent(),
        client: borrower.map(client),
    })
}

fn pooler(pooler: &Pooler) -> PoolerObject {
    let pools = pooler.queues.iter().filter(|it| !is_console(&it.alias));
    let clients = pooler.clients.iter().filter(|it| !is_console(&it.alias));
    PoolerObject {
        console: pooler.console.clone(),
        version: pooler.version.clone(),
        settings: settings(&pooler.settings),
        pools: pools.map(|queue| pool(pooler, queue)).collect(),
        servers: pooler.servers.iter().map(|it| server(pooler, it)).collect(),
        clients: clients.count(),
    }
}

fn settings(settings: &PoolerSettings) -> PoolerSettingsObject {
    let PoolerSettings {
        pool_mode,
        server_reset_query,
        server_reset_query_always,
        max_user_connections,
        server_lifetime,
        server_idle_timeout,
    } = settings.clone();
    PoolerSettingsObject {
        pool_mode,
        server_reset_query,
        server_reset_query_always,
        max_user_connections,
        server_lifetime_seconds: server_lifetime.map(seconds),
        server_idle_timeout_seconds: server_idle_timeout.map(seconds),
    }
}

fn pool(pooler: &Pooler, queue: &Queue) -> PoolerPoolObject {
    let known = pooler.alias(&queue.alias);
    let Queue {
        alias,
        user,
        mode: _,
        clients_active,
        clients_waiting,
        servers,
        servers_active,
        servers_idle: _,
        longest_wait,
    } = queue.clone();
    PoolerPoolObject {
        pool_mode: pooler.mode(&alias, &user).as_str().to_owned(),
        alias,
        user,
        database: known.map(|alias| alias.database.clone()),
        pool_size: known.map(|alias| alias.pool_size),
        paused: known.map(|alias| alias.paused),
        disabled: known.map(|alias| alias.disabled),
        clients_active,
        clients_waiting,
        servers,
        servers_active,
        longest_wait_seconds: seconds(longest_wait),
    }
}

fn server(pooler: &Pooler, server: &ServerConnection) -> PoolerServerObject {
    let (local_addr, local_port) = server.local.unzip();
    PoolerServerObject {
        alias: server.alias.clone(),
        user: server.user.clone(),
        remote_pid: server.remote_pid,
        local_addr: local_addr.map(|address| address.to_string()),
        local_port,
        linked: server.link.is_some(),
        client: pooler.borrower(server).map(client),
    }
}

fn client(client: &PoolerClient) -> PoolerClientObject {
    PoolerClientObject {
        user: client.user.clone(),
        application_name: client.application_name.clone(),
        addr: client.addr.clone(),
        port: client.port,
        remote_pid: client.remote_pid,
    }
}
