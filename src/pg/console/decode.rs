//! A console's answers as values. Columns that came later are read where they are; those that every
//! version has must be there.

use std::net::IpAddr;
use std::time::Duration;

use anyhow::Result;

use super::answer::{Answer, AnswerRow};
use crate::snapshot::{
    Alias, Identity, PoolMode, Pooler, PoolerClient, PoolerSettings, PoolerUser, Queue,
    ServerConnection,
};

/// All that a console is asked.
#[derive(Debug, Default)]
pub(super) struct Answers {
    pub version: Answer,
    pub servers: Answer,
    pub clients: Answer,
    pub pools: Answer,
    pub databases: Answer,
    pub users: Answer,
    pub config: Answer,
}

/// What the answers say, but for where the console is.
///
/// # Errors
/// An answer that no version of PgBouncer gives.
pub(super) fn pooler(answers: &Answers) -> Result<Pooler> {
    let version = answers.version.rows().next();
    let version = version.map(|row| row.text("version").map(str::to_owned));
    Ok(Pooler {
        version: version.transpose()?.unwrap_or_default(),
        servers: each(&answers.servers, server)?,
        clients: each(&answers.clients, client)?,
        queues: each(&answers.pools, queue)?,
        aliases: each(&answers.databases, alias)?,
        users: each(&answers.users, user)?,
        settings: settings(&answers.config)?,
        ..Pooler::default()
    })
}

fn each<T>(answer: &Answer, read: fn(AnswerRow<'_>) -> Result<T>) -> Result<Vec<T>> {
    answer.rows().map(read).collect()
}

fn server(row: AnswerRow<'_>) -> Result<ServerConnection> {
    Ok(ServerConnection {
        alias: row.text("database")?.to_owned(),
        user: row.text("user")?.to_owned(),
        state: row.text("state")?.to_owned(),
        remote_pid: backend(row)?,
        local: local(row)?,
        identity: identity(row)?,
        link: link(row)?,
        application_name: row.maybe("application_name").map(str::to_owned),
        replicates: row.maybe("replication").is_some_and(|it| it != "none"),
    })
}

/// What stands in place of a process id where there is none, or another pooler is behind, is no
/// process.
fn backend(row: AnswerRow<'_>) -> Result<Option<i32>> {
    let number: i64 = row.number("remote_pid")?;
    Ok(i32::try_from(number).ok().filter(|pid| *pid > 0))
}

/// `unix` is no address.
fn local(row: AnswerRow<'_>) -> Result<Option<(IpAddr, u16)>> {
    let address = row.text("local_addr")?.parse::<IpAddr>().ok();
    let port = row.maybe_number("local_port")?;
    Ok(address.map(|it| it.to_canonical()).zip(port))
}

fn identity(row: AnswerRow<'_>) -> Result<Identity> {
    Ok(Identity {
        ptr: row.text("ptr")?.to_owned(),
        id: row.maybe("id").map(str::to_owned),
        connect_time: row.maybe("connect_time").map(str::to_owned),
    })
}

fn link(row: AnswerRow<'_>) -> Result<Option<String>> {
    let link = row.text("link")?;
    Ok((!link.is_empty()).then(|| link.to_owned()))
}

fn client(row: AnswerRow<'_>) -> Result<PoolerClient> {
    Ok(PoolerClient {
        alias: row.text("database")?.to_owned(),
        user: row.text("user")?.to_owned(),
        state: row.text("state")?.to_owned(),
        addr: row.text("addr")?.to_owned(),
        port: row.maybe_number("port")?,
        identity: identity(row)?,
        link: link(row)?,
        remote_pid: backend(row)?,
        application_name: row.maybe("application_name").map(str::to_owned),
    })
}

fn queue(row: AnswerRow<'_>) -> Result<Queue> {
    // All states of a connection to the server; 1.15 lacks the two of cancelled requests.
    const OPEN: [&str; 7] = [
        "sv_active",
        "sv_active_cancel",
        "sv_being_canceled",
        "sv_idle",
        "sv_used",
        "sv_tested",
        "sv_login",
    ];
    let count = |column| Ok::<u32, anyhow::Error>(row.maybe_number(column)?.unwrap_or(0));
    let open = OPEN.into_iter().map(count).collect::<Result<Vec<u32>>>()?;
    let seconds = Duration::from_secs(row.number("maxwait")?);
    let rest = Duration::from_micros(row.maybe_number("maxwait_us")?.unwrap_or(0));
    Ok(Queue {
        alias: row.text("database")?.to_owned(),
        user: row.text("user")?.to_owned(),
        mode: PoolMode::from_word(row.maybe("pool_mode").unwrap_or("")),
        clients_active: row.number("cl_active")?,
        clients_waiting: row.number("cl_waiting")?,
        servers: open.iter().fold(0, |sum, one| sum.saturating_add(*one)),
        servers_active: count("sv_active")?,
        servers_idle: count("sv_idle")?.saturating_add(count("sv_used")?),
        longest_wait: seconds.saturating_add(rest),
    })
}

fn alias(row: AnswerRow<'_>) -> Result<Alias> {
    // 1.24 gave the reserve another name.
    let reserve = match row.maybe_number("reserve_pool_size")? {
        Some(size) => Some(size),
        None => row.maybe_number("reserve_pool")?,
    };
    let is_on = |column| Ok::<bool, anyhow::Error>(row.maybe(column).is_some_and(|it| it != "0"));
    let mode = row.maybe("pool_mode").map(PoolMode::from_word);
    Ok(Alias {
        name: row.text("name")?.to_owned(),
        host: row.maybe("host").map(str::to_owned),
        port: row.maybe_number("port")?,
        database: row.text("database")?.to_owned(),
        force_user: row.maybe("force_user").map(str::to_owned),
        pool_size: row.number("pool_size")?,
        reserve_pool: reserve.unwrap_or(0),
        most_connections: limit(row, "max_connections")?,
        mode: mode.filter(|mode| *mode != PoolMode::Unknown),
        paused: is_on("paused")?,
        disabled: is_on("disabled")?,
    })
}

/// 0 is no limit.
fn limit(row: AnswerRow<'_>, column: &str) -> Result<Option<u32>> {
    Ok(row.maybe_number(column)?.filter(|limit| *limit > 0))
}

fn user(row: AnswerRow<'_>) -> Result<PoolerUser> {
    Ok(PoolerUser {
        name: row.text("name")?.to_owned(),
        pool_size: limit(row, "pool_size")?,
        most_connections: limit(row, "max_user_connections")?,
    })
}

fn settings(config: &Answer) -> Result<PoolerSettings> {
    let mut settings = PoolerSettings::default();
    for row in config.rows() {
        let value = row.text("value")?;
        match row.text("key")? {
            "pool_mode" => settings.pool_mode = Some(value.to_owned()),
            "server_reset_query" => settings.server_reset_query = Some(value.to_owned()),
            "server_reset_query_always" => {
                settings.server_reset_query_always = Some(!matches!(value, "" | "0"));
            }
            "max_user_connections" => settings.max_user_connections = limit(row, "value")?,
            "server_lifetime" => settings.server_lifetime = seconds(row)?,
            "server_idle_timeout" => settings.server_idle_timeout = seconds(row)?,
            _ => {}
        }
    }
    Ok(settings)
}

fn seconds(row: AnswerRow<'_>) -> Result<Option<Duration>> {
    let seconds: Option<f64> = row.maybe_number("value")?;
    Ok(seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()))
}
