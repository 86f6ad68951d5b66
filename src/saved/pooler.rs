//! What a pooler's console said, in a saved sample: its own column names, field by field both ways.
//!
//! A file of an earlier lockaudit has none of it, and an earlier lockaudit reads past it.

use std::net::IpAddr;
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::snapshot::{
    Alias, Identity, PoolMode, Pooler, PoolerClient, PoolerSettings, PoolerUser, Queue,
    ServerConnection,
};

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PoolerRow {
    console: String,
    #[serde(default)]
    address: Option<IpAddr>,
    #[serde(default)]
    version: String,
    servers: Vec<ServerRow>,
    clients: Vec<ClientRow>,
    pools: Vec<PoolRow>,
    databases: Vec<DatabaseRow>,
    #[serde(default)]
    users: Vec<UserRow>,
    #[serde(default)]
    config: ConfigRow,
}

#[derive(Debug, Serialize, Deserialize)]
struct ServerRow {
    database: String,
    user: String,
    state: String,
    remote_pid: Option<i32>,
    local_addr: Option<IpAddr>,
    local_port: Option<u16>,
    #[serde(flatten)]
    identity: IdentityRow,
    link: Option<String>,
    application_name: Option<String>,
    #[serde(default)]
    replication: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct ClientRow {
    database: String,
    user: String,
    state: String,
    addr: String,
    port: Option<u16>,
    #[serde(flatten)]
    identity: IdentityRow,
    link: Option<String>,
    remote_pid: Option<i32>,
    application_name: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct IdentityRow {
    ptr: String,
    id: Option<String>,
    connect_time: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct PoolRow {
    database: String,
    user: String,
    pool_mode: String,
    cl_active: u32,
    cl_waiting: u32,
    sv_all: u32,
    sv_active: u32,
    sv_idle: u32,
    maxwait_seconds: f64,
}

#[derive(Debug, Serialize, Deserialize)]
struct DatabaseRow {
    name: String,
    host: Option<String>,
    port: Option<u16>,
    database: String,
    force_user: Option<String>,
    pool_size: u32,
    reserve_pool: u32,
    max_connections: Option<u32>,
    pool_mode: Option<String>,
    paused: bool,
    disabled: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct UserRow {
    name: String,
    pool_size: Option<u32>,
    max_user_connections: Option<u32>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct ConfigRow {
    pool_mode: Option<String>,
    server_reset_query: Option<String>,
    server_reset_query_always: Option<bool>,
    max_user_connections: Option<u32>,
    server_lifetime_seconds: Option<f64>,
    server_idle_timeout_seconds: Option<f64>,
}

impl PoolerRow {
    pub(super) fn of(pooler: &Pooler) -> Self {
        let Pooler {
            console,
            address,
            version,
            servers,
            clients,
            queues,
            aliases,
            users,
            settings,
        } = pooler.clone();
        Self {
            console,
            address,
            version,
            servers: servers.into_iter().map(server_row).collect(),
            clients: clients.into_iter().map(client_row).collect(),
            pools: queues.iter().map(pool_row).collect(),
            databases: aliases.into_iter().map(database_row).collect(),
            users: users.into_iter().map(user_row).collect(),
            config: config_row(settings),
        }
    }

    /// # Errors
    /// A duration that is none.
    pub(super) fn into_pooler(self) -> Result<Pooler> {
        Ok(Pooler {
            console: self.console,
            address: self.address,
            version: self.version,
            servers: self.servers.into_iter().map(server).collect(),
            clients: self.clients.into_iter().map(client).collect(),
            queues: self.pools.into_iter().map(queue).collect::<Result<_>>()?,
            aliases: self.databases.into_iter().map(alias).collect(),
            users: self.users.into_iter().map(user).collect(),
            settings: settings(self.config)?,
        })
    }
}

fn server_row(server: ServerConnection) -> ServerRow {
    let ServerConnection {
        alias,
        user,
        state,
        remote_pid,
        local,
        identity,
        link,
        application_name,
        replicates,
    } = server;
    let (local_addr, local_port) = local.unzip();
    ServerRow {
        database: alias,
        user,
        state,
        remote_pid,
        local_addr,
        local_port,
        identity: identity_row(identity),
        link,
        application_name,
        replication: replicates,
    }
}

fn server(row: ServerRow) -> ServerConnection {
    ServerConnection {
        alias: row.database,
        user: row.user,
        state: row.state,
        remote_pid: row.remote_pid,
        local: row.local_addr.zip(row.local_port),
        identity: identity(row.identity),
        link: row.link,
        application_name: row.application_name,
        replicates: row.replication,
    }
}

fn client_row(client: PoolerClient) -> ClientRow {
    let PoolerClient {
        alias,
        user,
        state,
        addr,
        port,
        identity,
        link,
        remote_pid,
        application_name,
    } = client;
    ClientRow {
        database: alias,
        user,
        state,
        addr,
        port,
        identity: identity_row(identity),
        link,
        remote_pid,
        application_name,
    }
}

fn client(row: ClientRow) -> PoolerClient {
    PoolerClient {
        alias: row.database,
        user: row.user,
        state: row.state,
        addr: row.addr,
        port: row.port,
        identity: identity(row.identity),
        link: row.link,
        remote_pid: row.remote_pid,
        application_name: row.application_name,
    }
}

fn identity_row(identity: Identity) -> IdentityRow {
    let Identity {
        ptr,
        id,
        connect_time,
    } = identity;
    IdentityRow {
        ptr,
        id,
        connect_time,
    }
}

fn identity(row: IdentityRow) -> Identity {
    Identity {
        ptr: row.ptr,
        id: row.id,
        connect_time: row.connect_time,
    }
}

fn pool_row(queue: &Queue) -> PoolRow {
    let Queue {
        alias,
        user,
        mode,
        clients_active,
        clients_waiting,
        servers,
        servers_active,
        servers_idle,
        longest_wait,
    } = queue.clone();
    PoolRow {
        database: alias,
        user,
        pool_mode: mode.as_str().to_owned(),
        cl_active: clients_active,
        cl_waiting: clients_waiting,
        sv_all: servers,
        sv_active: servers_active,
        sv_idle: servers_idle,
        maxwait_seconds: longest_wait.as_secs_f64(),
    }
}

fn queue(row: PoolRow) -> Result<Queue> {
    Ok(Queue {
        alias: row.database,
        user: row.user,
        mode: PoolMode::from_word(&row.pool_mode),
        clients_active: row.cl_active,
        clients_waiting: row.cl_waiting,
        servers: row.sv_all,
        servers_active: row.sv_active,
        servers_idle: row.sv_idle,
        longest_wait: duration(row.maxwait_seconds)?,
    })
}

fn database_row(alias: Alias) -> DatabaseRow {
    let Alias {
        name,
        host,
        port,
        database,
        force_user,
        pool_size,
        reserve_pool,
        most_connections,
        mode,
        paused,
        disabled,
    } = alias;
    DatabaseRow {
        name,
        host,
        port,
        database,
        force_user,
        pool_size,
        reserve_pool,
        max_connections: most_connections,
        pool_mode: mode.map(|mode| mode.as_str().to_owned()),
        paused,
        disabled,
    }
}

fn alias(row: DatabaseRow) -> Alias {
    Alias {
        name: row.name,
        host: row.host,
        port: row.port,
        database: row.database,
        force_user: row.force_user,
        pool_size: row.pool_size,
        reserve_pool: row.reserve_pool,
        most_connections: row.max_connections,
        mode: row.pool_mode.as_deref().map(PoolMode::from_word),
        paused: row.paused,
        disabled: row.disabled,
    }
}

fn user_row(user: PoolerUser) -> UserRow {
    let PoolerUser {
        name,
        pool_size,
        most_connections,
    } = user;
    UserRow {
        name,
        pool_size,
        max_user_connections: most_connections,
    }
}

fn user(row: UserRow) -> PoolerUser {
    PoolerUser {
        name: row.name,
        pool_size: row.pool_size,
        most_connections: row.max_user_connections,
    }
}

fn config_row(settings: PoolerSettings) -> ConfigRow {
    let PoolerSettings {
        pool_mode,
        server_reset_query,
        server_reset_query_always,
        max_user_connections,
        server_lifetime,
        server_idle_timeout,
    } = settings;
    ConfigRow {
        pool_mode,
        server_reset_query,
        server_reset_query_always,
        max_user_connections,
        server_lifetime_seconds: server_lifetime.map(|it| it.as_secs_f64()),
        server_idle_timeout_seconds: server_idle_timeout.map(|it| it.as_secs_f64()),
    }
}

fn settings(row: ConfigRow) -> Result<PoolerSettings> {
    Ok(PoolerSettings {
        pool_mode: row.pool_mode,
        server_reset_query: row.server_reset_query,
        server_reset_query_always: row.server_reset_query_always,
        max_user_connections: row.max_user_connections,
        server_lifetime: row.server_lifetime_seconds.map(duration).transpose()?,
        server_idle_timeout: row.server_idle_timeout_seconds.map(duration).transpose()?,
    })
}

fn duration(seconds: f64) -> Result<Duration> {
    Duration::try_from_secs_f64(seconds)
        .with_context(|| format!("{seconds} is not a number of seconds"))
}
