//! One session with one of the target's hosts, in libpq's order and by libpq's rules.
//!
//! The next host is tried when a host can't be reached, is silent, does not accept sessions yet
//! (57P03) or is of the wrong kind. Everything else that a server says is final (tried with
//! libpq 15: of ten codes only 57P03 moves on), so a wrong password is not tried everywhere.

pub use super::connection::Connection;
pub use super::dial::Address;
pub use super::driver::Unasked;

use super::attempt::Attempt;
use super::dial;
use super::failure::{ConnectFailure, FailureKind, Stage, several};
use super::host_order::arrange;
use super::limit::Limit;
use super::target::{Endpoint, Host, SessionAttrs, SslMode, Target};
use super::tls::Encryption;

/// Connects to the first host of `target` that answers and is of the wanted kind.
///
/// Must run inside a tokio runtime: the session's bytes are moved by a task of their own. Name
/// lookup and each address have `connect_timeout` for themselves, TLS and login included, as in
/// libpq. The error is of the host that decided, or lists all hosts.
pub async fn connect(target: &Target) -> Result<Connection, ConnectFailure> {
    let encryption = prepare(target)?;
    let mut hosts: Vec<&Host> = target.hosts.iter().collect();
    arrange(&mut hosts, target.host_order);
    let search = Search {
        target,
        encryption,
        hosts,
    };
    match target.session_attrs {
        SessionAttrs::PreferStandby => match search.run(SessionAttrs::Standby).await {
            Err(failure) if moves_on(failure.kind) => search.run(SessionAttrs::Any).await,
            result => result,
        },
        wanted => search.run(wanted).await,
    }
}

/// TLS is never spoken over a socket file (libpq's documentation of `sslmode`).
fn prepare(target: &Target) -> Result<Option<Encryption>, ConnectFailure> {
    let over_tcp = target
        .hosts
        .iter()
        .any(|host| matches!(host.endpoint, Endpoint::Tcp { .. }));
    if target.tls.mode == SslMode::Disable || !over_tcp {
        return Ok(None);
    }
    Encryption::prepare(&target.tls).map(Some)
}

struct Search<'a> {
    target: &'a Target,
    encryption: Option<Encryption>,
    hosts: Vec<&'a Host>,
}

impl Search<'_> {
    async fn run(&self, wanted: SessionAttrs) -> Result<Connection, ConnectFailure> {
        let mut failures = Vec::new();
        for host in &self.hosts {
            match self.host(host, wanted, &mut failures).await {
                Some(connection) => return Ok(connection),
                None if failures.last().is_some_and(|last| !moves_on(last.kind)) => break,
                None => {}
            }
        }
        Err(several(failures, |last| !moves_on(last.kind)))
    }

    /// Tries the addresses of one host; what went wrong is added to `failures`.
    async fn host(
        &self,
        host: &Host,
        wanted: SessionAttrs,
        failures: &mut Vec<ConnectFailure>,
    ) -> Option<Connection> {
        let addresses = match self.addresses(&host.endpoint).await {
            Ok(addresses) => addresses,
            Err(failure) => {
                failures.push(failure.at(endpoint_label(&host.endpoint)));
                return None;
            }
        };
        for address in &addresses {
            let encryption = self.encryption.as_ref();
            let attempt = Attempt {
                target: self.target,
                host,
                address,
                encryption,
                wanted,
            };
            match attempt.run().await {
                Ok(connection) => return Some(connection),
                Err(failure) => failures.push(failure.at(label(&host.endpoint, address))),
            }
            if !failures
                .last()
                .is_some_and(|last| tries_next_address(last.kind))
            {
                break;
            }
        }
        None
    }

    async fn addresses(&self, endpoint: &Endpoint) -> Result<Vec<Address>, ConnectFailure> {
        let limit = Limit::starting_now(self.target.connect_timeout);
        let mut addresses = limit
            .run(Stage::NameLookup, dial::resolve(endpoint))
            .await?;
        arrange(&mut addresses, self.target.host_order);
        Ok(addresses)
    }
}

fn moves_on(kind: FailureKind) -> bool {
    tries_next_address(kind)
        || matches!(
            kind,
            FailureKind::NotAccepting | FailureKind::WrongSessionKind
        )
}

fn tries_next_address(kind: FailureKind) -> bool {
    matches!(
        kind,
        FailureKind::UnknownHostName
            | FailureKind::PortRefused
            | FailureKind::Unreachable
            | FailureKind::SocketFileMissing
            | FailureKind::SocketFileForbidden
            | FailureKind::TimedOut(_)
    )
}

fn endpoint_label(endpoint: &Endpoint) -> String {
    match endpoint {
        Endpoint::Tcp { .. } => endpoint.to_string(),
        Endpoint::Unix { directory, port } => format!("{}/.s.PGSQL.{port}", directory.display()),
    }
}

fn label(endpoint: &Endpoint, address: &Address) -> String {
    let name = endpoint_label(endpoint);
    match address {
        Address::Tcp(address) if address.to_string() != name => {
            format!("{name} ({})", address.ip())
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str, address: &str) -> String {
        let endpoint = Endpoint::Tcp {
            name: name.to_owned(),
            address: None,
            port: 5432,
        };
        label(&endpoint, &Address::Tcp(address.parse().unwrap()))
    }

    #[test]
    fn shows_the_address_behind_a_name_and_brackets_round_colons() {
        assert_eq!(shown("db1", "192.0.2.7:5432"), "db1:5432 (192.0.2.7)");
        assert_eq!(shown("192.0.2.7", "192.0.2.7:5432"), "192.0.2.7:5432");
        assert_eq!(shown("::1", "[::1]:5432"), "[::1]:5432");
    }
}
