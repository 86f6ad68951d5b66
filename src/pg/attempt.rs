//! One address: the one or two attempts that a sslmode allows, from the socket to the session.

use std::sync::OnceLock;

use tokio::time::Instant;

use super::connection::Connection;
use super::dial::{self, Address, Dialled};
use super::driver::drive;
use super::failure::{
    ConnectFailure, FailureKind, PoolerRefusal, Stage, both, tls_not_offered, too_old,
};
use super::limit::Limit;
use super::line::{Line, TlsAnswer, ask_for_tls};
use super::login::{Security, log_in};
use super::session_kind::{self, Reported};
use super::target::{Endpoint, Host, SessionAttrs, SslMode, Target, TlsNegotiation};
use super::tls::Encryption;

pub(super) struct Attempt<'a> {
    pub(super) target: &'a Target,
    pub(super) host: &'a Host,
    pub(super) address: &'a Address,
    /// `None` when no TLS may be spoken.
    pub(super) encryption: Option<&'a Encryption>,
    pub(super) wanted: SessionAttrs,
}

/// What to say about TLS on one socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    Plain,
    TlsIfOffered,
    Tls,
}

impl Attempt<'_> {
    pub(super) async fn run(&self) -> Result<Connection, ConnectFailure> {
        let limit = Limit::starting_now(self.target.connect_timeout);
        let (first, second) = self.wishes();
        let failure = match self.once(first, limit).await {
            Ok(connection) => return Ok(connection),
            Err(failure) => failure,
        };
        match second {
            Some(second) if other_way_may_help(&failure, second) => self
                .once(second, limit)
                .await
                .map_err(|second| both(failure, second)),
            _ => Err(failure),
        }
    }

    /// A socket file never sees TLS, whatever the sslmode (libpq's documentation).
    fn wishes(&self) -> (Wish, Option<Wish>) {
        match (self.address, self.target.tls.mode) {
            (Address::Unix(_), _) | (_, SslMode::Disable) => (Wish::Plain, None),
            (_, SslMode::Allow) => (Wish::Plain, Some(Wish::Tls)),
            (_, SslMode::Prefer) => (Wish::TlsIfOffered, Some(Wish::Plain)),
            (_, SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull) => (Wish::Tls, None),
        }
    }

    async fn once(&self, wish: Wish, limit: Limit) -> Result<Connection, ConnectFailure> {
        let started = Instant::now();
        let open = dial::open(self.address, &self.target.keepalives);
        let dialled = limit.run(Stage::Dialling, open).await?;
        let local_port = dialled.local_port;
        let (line, security) = self.secure(dialled, wish, limit).await?;
        let encrypted = security == Security::Encrypted;
        self.start(line, security, limit)
            .await
            .map(|connection| Connection {
                local_port,
                encrypted,
                dialled: started,
                ..connection
            })
            .map_err(|failure| failure.over(encrypted))
    }

    async fn secure(
        &self,
        mut dialled: Dialled,
        wish: Wish,
        limit: Limit,
    ) -> Result<(Line, Security), ConnectFailure> {
        let encryption = match (wish, self.encryption) {
            (Wish::Plain, _) | (_, None) => {
                return Ok((Line::new(dialled.stream, None), Security::Plain));
            }
            (_, Some(encryption)) => encryption,
        };
        if self.target.tls.negotiation == TlsNegotiation::Postgres {
            let answer = limit
                .run(Stage::TlsRequest, ask_for_tls(&mut dialled.stream))
                .await?;
            match (answer, wish) {
                (TlsAnswer::Yes, _) => {}
                (TlsAnswer::No, Wish::TlsIfOffered) => {
                    return Ok((Line::new(dialled.stream, None), Security::Plain));
                }
                (TlsAnswer::No, _) => return Err(tls_not_offered()),
            }
        }
        let handshake = encryption.shake_hands(dialled.stream, self.name());
        let encrypted = limit
            .run(Stage::TlsHandshake, handshake)
            .await
            .map_err(|failure| failure.over(true))?;
        let line = Line::new(Box::new(encrypted.stream), encrypted.server_end_point);
        Ok((line, Security::Encrypted))
    }

    async fn start(
        &self,
        line: Line,
        security: Security,
        limit: Limit,
    ) -> Result<Connection, ConnectFailure> {
        let named = line.named_process();
        let login = log_in(line, security, self.target, self.host.password.as_ref());
        let (client, session) = limit.run(Stage::Login, login).await?;
        let server_version = session
            .parameter("server_version")
            .unwrap_or_default()
            .to_owned();
        let reported = Reported::read(|name| session.parameter(name));
        let (unasked, driver) = drive(session);
        let connection = Connection {
            client,
            endpoint: self.host.endpoint.clone(),
            address: self.address.clone(),
            local_port: None,
            named_process: named.get(),
            application_name: self.target.application_name.clone(),
            dialled: Instant::now(),
            way_in: OnceLock::new(),
            first_answer_within: self.target.connect_timeout,
            server_version,
            encrypted: false,
            unasked,
            driver,
        };
        let check = self.check(&connection, reported);
        limit.run(Stage::SessionCheck, check).await?;
        Ok(connection)
    }

    async fn check(
        &self,
        connection: &Connection,
        reported: Reported,
    ) -> Result<(), ConnectFailure> {
        if connection.console().is_some() {
            return Ok(());
        }
        if let Some(failure) = too_old(&connection.server_version) {
            return Err(failure);
        }
        session_kind::check(&connection.client, reported, self.wanted).await
    }

    fn name(&self) -> &str {
        match &self.host.endpoint {
            Endpoint::Tcp { name, .. } => name,
            Endpoint::Unix { .. } => "",
        }
    }
}

/// `allow` asks for TLS when a plain login is not let in; `prefer` does without it when the
/// handshake fails or an encrypted login is not let in. libpq tries again after any refusal; here
/// only what another encryption can change, so that a wrong password is sent once, and never
/// plain after encrypted.
fn other_way_may_help(failure: &ConnectFailure, second: Wish) -> bool {
    let not_let_in = failure.sqlstate.as_deref() == Some("28000");
    if second == Wish::Tls {
        return not_let_in || failure.kind == FailureKind::Pooler(PoolerRefusal::TlsRequired);
    }
    let handshake_failed = matches!(
        failure.kind,
        FailureKind::TlsHandshake
            | FailureKind::CertificateRefused(_)
            | FailureKind::ClientCertificateMissing
            | FailureKind::ClientCertificateRefused
    );
    failure.encrypted && (not_let_in || handshake_failed)
}
