//! Targets for tests, and what came of connecting to them.

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::time::Duration;

use lockaudit::pg::connect::{Connection, connect};
use lockaudit::pg::failure::ConnectFailure;
use lockaudit::pg::target::{
    ChannelBinding, Endpoint, Host, HostOrder, Keepalives, Password, Roots, SessionAttrs, SslMode,
    Target, TlsNegotiation, TlsSettings,
};
use tokio::runtime::{Builder, Runtime};

/// A password that is searched for in every message.
pub const SECRET: &str = "s3cret-of-the-tests";

/// A target under construction: one host, no TLS, the role `app`, the database `postgres`.
#[derive(Clone)]
pub struct Destination(pub Target);

impl Destination {
    /// `localhost` as a certificate names it, without a name lookup.
    pub fn localhost(port: u16) -> Self {
        let address = Some(IpAddr::V4(Ipv4Addr::LOCALHOST));
        Self::to(Endpoint::Tcp {
            name: "localhost".to_owned(),
            address,
            port,
        })
    }

    pub fn socket(directory: &Path, port: u16) -> Self {
        Self::to(Endpoint::Unix {
            directory: directory.to_owned(),
            port,
        })
    }

    pub fn to(endpoint: Endpoint) -> Self {
        Self(Target {
            hosts: vec![Host {
                endpoint,
                password: Some(Password::new(SECRET)),
            }],
            user: "app".to_owned(),
            dbname: "postgres".to_owned(),
            application_name: "lockaudit".to_owned(),
            options: None,
            connect_timeout: Some(Duration::from_secs(20)),
            session_attrs: SessionAttrs::Any,
            host_order: HostOrder::AsGiven,
            tls: no_tls(),
            channel_binding: ChannelBinding::Prefer,
            keepalives: Keepalives {
                enabled: true,
                idle: None,
                interval: None,
                count: None,
                user_timeout: None,
            },
        })
    }

    pub fn with(mut self, change: impl FnOnce(&mut Target)) -> Self {
        change(&mut self.0);
        self
    }

    /// The hosts of `other` behind our own.
    pub fn then(self, other: Self) -> Self {
        self.with(|target| target.hosts.extend(other.0.hosts))
    }

    pub fn mode(self, mode: SslMode) -> Self {
        self.with(|target| target.tls.mode = mode)
    }

    pub fn roots(self, file: &Path) -> Self {
        self.with(|target| target.tls.roots = Roots::File(file.to_owned()))
    }

    pub fn user(self, user: &str) -> Self {
        self.with(|target| target.user = user.to_owned())
    }

    pub fn password(self, password: Option<&str>) -> Self {
        self.with(|target| target.hosts[0].password = password.map(Password::new))
    }

    pub fn patience(self, limit: Duration) -> Self {
        self.with(|target| target.connect_timeout = Some(limit))
    }

    /// Connects, and says goodbye.
    #[track_caller]
    pub fn arrives(&self) -> Arrival {
        match self.try_once() {
            Ok(arrival) => arrival,
            Err(failure) => panic!("{}", failure.report()),
        }
    }

    /// The failure of connecting; no word of the password may be in it.
    #[track_caller]
    pub fn fails(&self) -> ConnectFailure {
        let failure = self.try_once().expect_err("the connection must fail");
        let shown = format!("{failure} {failure:?} {} {:?}", failure.report(), self.0);
        assert!(!shown.contains(SECRET), "the password is shown: {shown}");
        failure
    }

    /// The first value of the answer to `sql`.
    pub fn asks(&self, sql: &str) -> String {
        runtime().block_on(async {
            let connection = connect(&self.0)
                .await
                .unwrap_or_else(|failure| panic!("{}", failure.report()));
            let value = first_value(&connection, sql).await;
            connection.close().await;
            value
        })
    }

    pub fn try_once(&self) -> Result<Arrival, ConnectFailure> {
        let runtime = runtime();
        runtime.block_on(async {
            let connection = connect(&self.0).await?;
            let arrival = Arrival {
                encrypted: connection.encrypted,
                port: connection.local_port,
                tls: first_value(&connection, TLS_VERSION).await,
                seen_port: first_value(&connection, CLIENT_PORT).await,
            };
            connection.close().await;
            Ok(arrival)
        })
    }
}

/// What a session looked like from both ends.
#[derive(Debug)]
pub struct Arrival {
    pub encrypted: bool,
    pub port: Option<u16>,
    /// As the server sees it: `TLSv1.3`, or `plain`.
    pub tls: String,
    /// The client's port as the server sees it.
    pub seen_port: String,
}

const TLS_VERSION: &str =
    "SELECT coalesce((SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()), 'plain')";
const CLIENT_PORT: &str = "SELECT coalesce(inet_client_port()::text, 'none')";

pub async fn first_value(connection: &Connection, question: &str) -> String {
    let messages = connection
        .client
        .simple_query(question)
        .await
        .expect("the session answers");
    messages
        .iter()
        .find_map(|message| match message {
            tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        })
        .expect("one row")
}

pub fn runtime() -> Runtime {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime starts")
}

fn no_tls() -> TlsSettings {
    TlsSettings {
        mode: SslMode::Disable,
        roots: Roots::None,
        certificate: None,
        key: None,
        key_password: None,
        crl: None,
        server_name_indication: true,
        min_version: None,
        max_version: None,
        negotiation: TlsNegotiation::Postgres,
    }
}
