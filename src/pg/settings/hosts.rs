//! The hosts to try: lists of names, addresses and ports made into endpoints, and the default socket.

use std::net::IpAddr;
use std::path::PathBuf;

use anyhow::{Context, bail, ensure};

use super::choice::parse_integer;
use super::environment::{Environment, PathKind};
use super::values::{Source, Value, Values};
use crate::pg::target::Endpoint;

const DEFAULT_PORT: u16 = 5432;

/// At least one endpoint. `hostaddr` decides how many there are, else `host`; one port serves all.
pub(super) fn endpoints(
    values: &Values,
    environment: &Environment,
    notes: &mut Vec<String>,
) -> anyhow::Result<Vec<Endpoint>> {
    let names = list(values, "host");
    let addresses = list(values, "hostaddr");
    let count = addresses.len().max(names.len()).max(1);
    if !addresses.is_empty() {
        same_number(&names, "host names", addresses.len(), "hostaddr values")?;
    }
    let ports = ports(values, count)?;
    let at = |list: &[&str], index: usize| list.get(index).copied().unwrap_or("").to_owned();
    (0..count)
        .map(|index| Slot {
            name: at(&names, index),
            address: at(&addresses, index),
            port: ports[index],
        })
        .map(|slot| slot.endpoint(environment, notes))
        .collect()
}

fn list<'a>(values: &'a Values, name: &str) -> Vec<&'a str> {
    let text = values.filled_text(name);
    text.map(|text| text.split(',').collect())
        .unwrap_or_default()
}

fn same_number(items: &[&str], what: &str, count: usize, counted: &str) -> anyhow::Result<()> {
    ensure!(
        items.is_empty() || items.len() == count,
        "there are {} {what} for {count} {counted}; give one for each",
        items.len()
    );
    Ok(())
}

fn ports(values: &Values, count: usize) -> anyhow::Result<Vec<u16>> {
    let Some(value) = values.filled("port") else {
        return Ok(vec![DEFAULT_PORT; count]);
    };
    let ports: Vec<u16> = value
        .text
        .split(',')
        .map(|text| port(text, value))
        .collect::<anyhow::Result<_>>()?;
    if let [only] = ports[..] {
        return Ok(vec![only; count]);
    }
    ensure!(
        ports.len() == count,
        "there are {} port numbers for {count} hosts; give one, or one for each",
        ports.len()
    );
    Ok(ports)
}

fn port(text: &str, value: &Value) -> anyhow::Result<u16> {
    if text.is_empty() {
        return Ok(DEFAULT_PORT);
    }
    let number = parse_integer(text).and_then(|number| u16::try_from(number).ok());
    match number.filter(|number| *number > 0) {
        Some(number) => Ok(number),
        None => bail!(bad_port(text, value)),
    }
}

/// In a URI the "port" may be the start of a password that holds a `/`: it is not repeated.
fn bad_port(text: &str, value: &Value) -> String {
    match &value.source {
        Source::ConnectionString(place) => format!(
            "the port in {place} is not a number from 1 to 65535; if it is a piece of the password, write `/`, `@` \
             and `:` in it as %2F, %40 and %3A"
        ),
        source => format!("invalid port `{text}` in {source}: it must be a number from 1 to 65535"),
    }
}

/// One place of the three lists.
struct Slot {
    name: String,
    address: String,
    port: u16,
}

impl Slot {
    fn endpoint(
        self,
        environment: &Environment,
        notes: &mut Vec<String>,
    ) -> anyhow::Result<Endpoint> {
        if !self.address.is_empty() {
            return self.by_address();
        }
        let port = self.port;
        match self.name.chars().next() {
            None => Ok(default_endpoint(port, environment, notes)),
            Some('/') => Ok(Endpoint::Unix {
                directory: PathBuf::from(self.name),
                port,
            }),
            Some('@') => bail!(
                "host {} is a socket in the abstract namespace, which lockaudit does not dial; give the socket's \
                 directory or a host name",
                self.name
            ),
            Some(_) => Ok(Endpoint::Tcp {
                name: self.name,
                address: None,
                port,
            }),
        }
    }

    /// Without a name, the address is what a certificate must show.
    fn by_address(self) -> anyhow::Result<Endpoint> {
        let address: IpAddr = self.address.parse().with_context(|| {
            format!(
                "invalid hostaddr `{}`: a name belongs into host",
                self.address
            )
        })?;
        let name = match self.name.is_empty() {
            true => self.address,
            false => self.name,
        };
        Ok(Endpoint::Tcp {
            name,
            address: Some(address),
            port: self.port,
        })
    }
}

/// The first directory that holds a socket for this port; else the packaged servers' directory, for an
/// error that names it; else, where no such server was ever installed, a server in a container.
fn default_endpoint(port: u16, environment: &Environment, notes: &mut Vec<String>) -> Endpoint {
    let socket = format!(".s.PGSQL.{port}");
    let directories = &environment.socket_directories;
    let live = directories
        .iter()
        .find(|directory| environment.exists(&directory.join(&socket)));
    let packaged = directories
        .first()
        .filter(|path| environment.machine.kind(path) == PathKind::Directory);
    if let Some(directory) = live.or(packaged) {
        return Endpoint::Unix {
            directory: directory.clone(),
            port,
        };
    }
    notes.push(format!(
        "no host is given and no socket {socket} was found, so localhost is tried"
    ));
    Endpoint::Tcp {
        name: "localhost".to_owned(),
        address: None,
        port,
    }
}

#[cfg(test)]
mod tests {
    use super::super::keyword::find;
    use super::super::scripted::{Scripted, environment};
    use super::*;

    fn resolved(pairs: &[(&str, &str)], scripted: Scripted) -> Vec<String> {
        let endpoints = tried(pairs, scripted).expect("valid hosts");
        endpoints.iter().map(ToString::to_string).collect()
    }

    fn tried(pairs: &[(&str, &str)], scripted: Scripted) -> anyhow::Result<Vec<Endpoint>> {
        let mut values = Values::default();
        for (name, text) in pairs {
            values.set(
                find(name).expect("a keyword"),
                Value::new(*text, &Source::Flag("--host")),
            );
        }
        endpoints(&values, &scripted.build(), &mut Vec::new())
    }

    fn refusal(pairs: &[(&str, &str)]) -> String {
        tried(pairs, environment(&[]))
            .expect_err("invalid hosts")
            .to_string()
    }

    #[test]
    fn pairs_hosts_with_ports() {
        let pairs = [("host", "a,/run/pg,::1"), ("port", "1,, 3 ")];
        assert_eq!(
            resolved(&pairs, environment(&[])),
            ["a:1", "/run/pg:5432", "[::1]:3"]
        );
        let pairs = [("host", "a,b"), ("port", "6000")];
        assert_eq!(resolved(&pairs, environment(&[])), ["a:6000", "b:6000"]);
    }

    #[test]
    fn takes_the_socket_that_is_there() {
        let scripted = environment(&[]).with_path("/tmp/.s.PGSQL.5433", PathKind::Other, "");
        assert_eq!(
            resolved(&[("port", "5433"), ("host", "")], scripted),
            ["/tmp:5433"]
        );
        let scripted = environment(&[]).with_path("/var/run/postgresql", PathKind::Directory, "");
        assert_eq!(resolved(&[], scripted), ["/var/run/postgresql:5432"]);
        assert_eq!(resolved(&[], environment(&[])), ["localhost:5432"]);
    }

    #[test]
    fn lets_an_address_spare_the_lookup() {
        let endpoints = tried(
            &[("hostaddr", "10.0.0.1"), ("host", "db")],
            environment(&[]),
        )
        .expect("valid");
        let expected = Endpoint::Tcp {
            name: "db".to_owned(),
            address: Some(IpAddr::from([10, 0, 0, 1])),
            port: 5432,
        };
        assert_eq!(endpoints, [expected]);
    }

    #[test]
    fn says_what_does_not_fit() {
        assert_eq!(
            refusal(&[("host", "a,b"), ("port", "1,2,3")]),
            "there are 3 port numbers for 2 hosts; give one, or one for each"
        );
        assert_eq!(
            refusal(&[("host", "a"), ("hostaddr", "10.0.0.1,10.0.0.2")]),
            "there are 1 host names for 2 hostaddr values; give one for each"
        );
        assert_eq!(
            refusal(&[("port", "0")]),
            "invalid port `0` in `--host`: it must be a number from 1 to 65535"
        );
        assert!(refusal(&[("host", "@pg")]).contains("abstract namespace"));
        assert_eq!(
            refusal(&[("hostaddr", "db")]),
            "invalid hostaddr `db`: a name belongs into host"
        );
    }
}
