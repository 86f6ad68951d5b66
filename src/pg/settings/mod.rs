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
mod password;
#[cfg(test)]
mod scripted;
mod service;
mod support;
#[cfg(test)]
mod tests;
mod tls;
mod uri;
mod values;

use std::fmt;
use std::time::Duration;

use anyhow::Context;

pub use connection_string::{
    ConnectionString, is_connection_string, parse as parse_connection_string,
};
pub use environment::{Account, Environment, Machine, PathKind};
pub use values::{Source, Value, Values};

use super::target::{ChannelBinding, HostOrder, Keepalives, SessionAttrs, Target};
use choice::{integer, milliseconds, positive, seconds, word};

/// How long one attempt on one host may take when nobody says: libpq waits for ever, which is no help to
/// someone in an incident.
pub const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// libpq's floor: with one second, rounding could leave next to no time.
const SHORTEST_CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// What the session calls itself unless it is told otherwise.
pub const DEFAULT_APPLICATION_NAME: &str = "lockaudit";

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
    ("disable", ChannelBinding::Disable),
    ("prefer", ChannelBinding::Prefer),
    ("require", ChannelBinding::Require),
];

/// What was typed on the command line.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Request {
    pub host: Option<String>,
    pub port: Option<String>,
    pub username: Option<String>,
    /// `--dbname`: a name, a URI or conninfo.
    pub dbname: Option<String>,
    /// The argument without a flag: the same three.
    pub positional: Option<String>,
    /// Outranks `application_name` everywhere else.
    pub application_name: Option<String>,
    /// Never ask for a password. Nothing here ever does; the flag is taken for the habit of typing it.
    pub no_password: bool,
}

impl Request {
    fn flags(&self) -> [(&'static str, &'static str, Option<&str>); 3] {
        [
            ("host", "--host", self.host.as_deref()),
            ("port", "--port", self.port.as_deref()),
            ("user", "--username", self.username.as_deref()),
        ]
    }

    /// `--dbname` and the argument. An empty one says nothing, as in psql.
    fn databases(&self) -> (Option<&str>, Option<&str>) {
        let given = |text: &'_ Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
        (
            self.dbname.as_deref().filter(|_| given(&self.dbname)),
            self.positional
                .as_deref()
                .filter(|_| given(&self.positional)),
        )
    }

    fn names_a_connection(&self) -> bool {
        let flag = self
            .flags()
            .iter()
            .any(|(_, _, given)| given.is_some_and(|text| !text.is_empty()));
        flag || self.databases() != (None, None)
    }

    /// Whether it is plain which server is meant, so that unread variables surprise nobody.
    fn names_a_server(&self) -> bool {
        let (dbname, positional) = self.databases();
        self.host.is_some() || dbname.or(positional).is_some_and(is_connection_string)
    }
}

/// Only which parts were given: any text may hold a password.
impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given: Vec<&str> = [
            ("host", &self.host),
            ("port", &self.port),
            ("username", &self.username),
            ("dbname", &self.dbname),
            ("positional", &self.positional),
            ("application_name", &self.application_name),
        ]
        .into_iter()
        .filter_map(|(name, text)| text.as_ref().map(|_| name))
        .collect();
        f.debug_struct("Request").field("given", &given).finish()
    }
}

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
    let endpoints = hosts::endpoints(&values, environment, &mut notes)?;
    support::review(&values, &endpoints, &mut notes)?;
    let user = user(&values, environment)?;
    let dbname = values.filled_text("dbname").unwrap_or(&user).to_owned();
    let login = password::Login {
        user: &user,
        dbname: &dbname,
    };
    let search = password::find(endpoints, &login, &values, environment, &mut notes);
    let target = Target {
        hosts: search.hosts,
        application_name: application_name(request, &values),
        options: values.filled_text("options").map(str::to_owned),
        connect_timeout: connect_timeout(&values)?,
        session_attrs: word(&values, "target_session_attrs", &SESSION_ATTRS)?
            .unwrap_or(SessionAttrs::Any),
        host_order: word(&values, "load_balance_hosts", &HOST_ORDERS)?
            .unwrap_or(HostOrder::AsGiven),
        tls: tls::settings(&values, environment)?,
        channel_binding: word(&values, "channel_binding", &CHANNEL_BINDINGS)?
            .unwrap_or(ChannelBinding::Prefer),
        keepalives: keepalives(&values)?,
        user,
        dbname,
    };
    Ok(Resolved {
        target,
        notes,
        password_sources_tried: search.tried,
    })
}

fn user(values: &Values, environment: &Environment) -> anyhow::Result<String> {
    if let Some(user) = values.filled_text("user") {
        return Ok(user.to_owned());
    }
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
