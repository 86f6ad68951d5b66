//! Connection settings as libpq reads them: flags, URIs, conninfo, service and password files, variables.
//!
//! [`resolve`] is pure: it sees the machine through an [`Environment`], opens no connection and prints
//! nothing. No result and no error of this module shows a password; a string that libpq would accept, but
//! that most likely puts a piece of a password where it would be shown, is refused.

mod choice;
mod connection_string;
mod conninfo;
mod database_url;
mod environment;
mod hosts;
mod keyword;
mod layers;
mod machine;
mod parameters;
mod password;
mod request;
#[cfg(test)]
mod scripted;
mod service;
mod support;
#[cfg(test)]
mod tests;
mod tls;
mod uri;
mod values;

use std::time::Duration;

use anyhow::Context;

pub use connection_string::{
    ConnectionString, is_connection_string, parse as parse_connection_string,
};
pub use environment::{Account, Environment, Machine, PathKind};
pub use request::Request;
pub use values::{Source, Value, Values};

use super::target::{ChannelBinding, HostOrder, Keepalives, SessionAttrs, Target};
use choice::{integer, milliseconds, positive, seconds, word};
use password::Login;

/// How long one attempt on one host may take when nobody says: libpq waits for ever, which is no help to
/// someone in an incident.
pub const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// libpq's floor: with one second, rounding could leave next to no time.
const SHORTEST_CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// What the session calls itself unless it is told otherwise.
pub const DEFAULT_APPLICATION_NAME: &str = "lockaudit";

// In each table libpq's default comes first.

const SESSION_ATTRS: [(&str, SessionAttrs); 6] = [
    ("any", SessionAttrs::Any),
    ("read-write", SessionAttrs::ReadWrite),
    ("read-only", SessionAttrs::ReadOnly),
    ("primary", SessionAttrs::Primary),
    ("standby", SessionAttrs::Standby),
    ("prefer-standby", SessionAttrs::PreferStandby),
];

const HOST_ORDERS: [(&str, HostOrder); 2] = [
    ("disable", HostOrder::AsGiven),
    ("random", HostOrder::Random),
];

const CHANNEL_BINDINGS: [(&str, ChannelBinding); 3] = [
    ("prefer", ChannelBinding::Prefer),
    ("disable", ChannelBinding::Disable),
    ("require", ChannelBinding::Require),
];

/// Where to connect, and what a person should be told about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    pub target: Target,
    /// Sentences for stderr: what was ignored, refused or replaced. Without values of secrets.
    pub notes: Vec<String>,
    /// Where a password was looked for in vain, one sentence a place; empty when every host has one.
    pub password_sources_tried: Vec<String>,
}

/// Settles everything there is to know before a connection is opened.
///
/// # Errors
/// What libpq refuses, demands that can't be met, and strings that most likely hold a misplaced password.
pub fn resolve(request: &Request, environment: &Environment) -> anyhow::Result<Resolved> {
    let mut notes = Vec::new();
    let values = layers::gather(request, environment, &mut notes)?;
    settle(&values, request, environment, notes)
}

/// The same for the console of a pooler, by a connection string: its database is `pgbouncer`, and what
/// the environment says of the server's database and options does not count.
///
/// # Errors
/// As [`resolve`], and a text that is no connection string; none repeats the text.
pub fn resolve_console(text: &str, environment: &Environment) -> anyhow::Result<Resolved> {
    let mut notes = Vec::new();
    let values = layers::gather_for_console(text, environment, &mut notes)?;
    settle(&values, &Request::default(), environment, notes)
}

fn settle(
    values: &Values,
    request: &Request,
    environment: &Environment,
    mut notes: Vec<String>,
) -> anyhow::Result<Resolved> {
    let endpoints = hosts::endpoints(values, environment, &mut notes)?;
    support::review(values, &endpoints, &mut notes)?;
    let login = login(values, environment)?;
    let search = password::find(endpoints, &login, values, environment, &mut notes);
    Ok(Resolved {
        target: Target {
            hosts: search.hosts,
            user: login.user,
            dbname: login.dbname,
            application_name: application_name(request, values),
            options: values.filled_text("options").map(str::to_owned),
            connect_timeout: connect_timeout(values)?,
            session_attrs: chosen(values, "target_session_attrs", &SESSION_ATTRS)?,
            host_order: chosen(values, "load_balance_hosts", &HOST_ORDERS)?,
            tls: tls::settings(values, environment)?,
            channel_binding: chosen(values, "channel_binding", &CHANNEL_BINDINGS)?,
            keepalives: keepalives(values)?,
        },
        notes,
        password_sources_tried: search.tried,
    })
}

/// The word that was given, else the first of the table.
fn chosen<T: Copy>(values: &Values, name: &str, table: &[(&str, T)]) -> anyhow::Result<T> {
    Ok(word(values, name, table)?.unwrap_or(table[0].1))
}

/// The database is named like the user unless it is named.
fn login(values: &Values, environment: &Environment) -> anyhow::Result<Login> {
    let user = match values.filled_text("user") {
        Some(user) => user.to_owned(),
        None => account_name(environment)?,
    };
    let dbname = values.filled_text("dbname").unwrap_or(&user).to_owned();
    Ok(Login { user, dbname })
}

fn account_name(environment: &Environment) -> anyhow::Result<String> {
    let account = environment.machine.account();
    let account =
        account.context("could not tell the name of the user who runs this; pass --username")?;
    Ok(account.name)
}

fn application_name(request: &Request, values: &Values) -> String {
    let typed = request
        .application_name
        .as_deref()
        .filter(|name| !name.is_empty());
    let fallback = || values.filled_text("fallback_application_name");
    typed
        .or_else(|| values.filled_text("application_name"))
        .or_else(fallback)
        .unwrap_or(DEFAULT_APPLICATION_NAME)
        .to_owned()
}

fn connect_timeout(values: &Values) -> anyhow::Result<Option<Duration>> {
    let given = integer(values, "connect_timeout")?;
    let limited = seconds(values, "connect_timeout")?;
    Ok(match given {
        None => Some(DEFAULT_CONNECT_TIMEOUT),
        Some(_) => limited.map(|limit| limit.max(SHORTEST_CONNECT_TIMEOUT)),
    })
}

fn keepalives(values: &Values) -> anyhow::Result<Keepalives> {
    Ok(Keepalives {
        enabled: integer(values, "keepalives")?.is_none_or(|it| it != 0),
        idle: seconds(values, "keepalives_idle")?,
        interval: seconds(values, "keepalives_interval")?,
        count: positive(values, "keepalives_count")?,
        user_timeout: milliseconds(values, "tcp_user_timeout")?,
    })
}
