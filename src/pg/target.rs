//! Where to connect and as whom, fully resolved: nothing is left to look up in the environment.
//!
//! `settings` makes a [`Target`]; `connect` dials it.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

/// One connection target: the hosts to try in order, and what to say to each.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    pub hosts: Vec<Host>,
    pub user: String,
    pub dbname: String,
    pub application_name: String,
    /// The user's own `options=` or `PGOPTIONS`; never one of ours (poolers refuse it).
    pub options: Option<String>,
    /// Bounds the name lookup, and each address by itself, TLS and login included. `None`: wait for
    /// ever.
    pub connect_timeout: Option<Duration>,
    pub session_attrs: SessionAttrs,
    pub host_order: HostOrder,
    pub tls: TlsSettings,
    pub channel_binding: ChannelBinding,
    pub keepalives: Keepalives,
}

impl Target {
    /// The target for people, without secrets: `a:5432 or b:5432, database app, user alice`.
    pub fn describe(&self) -> String {
        let hosts: Vec<String> = self
            .hosts
            .iter()
            .map(|host| host.endpoint.to_string())
            .collect();
        format!(
            "{}, database {}, user {}",
            hosts.join(" or "),
            self.dbname,
            self.user
        )
    }
}

/// One host of the list, with the password that libpq would use for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Host {
    pub endpoint: Endpoint,
    pub password: Option<Password>,
}

/// What a socket is opened to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// `address` (libpq's `hostaddr`) spares the name lookup; `name` is still what a certificate must show.
    Tcp {
        name: String,
        address: Option<IpAddr>,
        port: u16,
    },
    /// The socket file is `directory/.s.PGSQL.port`.
    Unix { directory: PathBuf, port: u16 },
}

/// `host:port`, `[::1]:port` or `/socket/directory:port`.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { name, port, .. } if name.contains(':') => write!(f, "[{name}]:{port}"),
            Self::Tcp { name, port, .. } => write!(f, "{name}:{port}"),
            Self::Unix { directory, port } => write!(f, "{}:{port}", directory.display()),
        }
    }
}

/// A password that no `Debug`, `Display` or error can print.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    /// The secret itself, for the authentication exchange only.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

/// libpq's `target_session_attrs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionAttrs {
    Any,
    ReadWrite,
    ReadOnly,
    Primary,
    Standby,
    PreferStandby,
}

/// libpq's `load_balance_hosts`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostOrder {
    AsGiven,
    Random,
}

/// libpq's `channel_binding`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChannelBinding {
    Disable,
    Prefer,
    Require,
}

/// libpq's `sslmode`, in rising order of safety.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SslMode {
    Disable,
    Allow,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

/// Everything that decides how TLS is spoken. Paths are checked when they are read, not here.
#[derive(Debug, Clone, PartialEq)]
pub struct TlsSettings {
    pub mode: SslMode,
    pub roots: Roots,
    /// Client certificate and private key, PEM.
    pub certificate: Option<PathBuf>,
    pub key: Option<PathBuf>,
    /// Set when `sslpassword` was given: encrypted keys can't be read, and the error says so.
    pub key_password: Option<Password>,
    pub crl: Option<PathBuf>,
    pub server_name_indication: bool,
    pub min_version: Option<TlsVersion>,
    pub max_version: Option<TlsVersion>,
    pub negotiation: TlsNegotiation,
}

/// libpq's `sslrootcert`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Roots {
    /// Neither given nor found at `~/.postgresql/root.crt`.
    None,
    File(PathBuf),
    /// `sslrootcert=system`
    System,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TlsVersion {
    V1_2,
    V1_3,
}

/// libpq's `sslnegotiation`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsNegotiation {
    Postgres,
    Direct,
}

/// TCP keepalive settings; `None` leaves a value to the operating system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keepalives {
    pub enabled: bool,
    pub idle: Option<Duration>,
    pub interval: Option<Duration>,
    pub count: Option<u32>,
    pub user_timeout: Option<Duration>,
}
