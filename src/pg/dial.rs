//! From an endpoint to an open socket: names, addresses, socket options. It speaks no protocol.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream, lookup_host};

use super::failure::{ConnectFailure, dialling, name_lookup, socket_file};
use super::target::{Endpoint, Keepalives};

/// One place a socket can be opened to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

/// Any byte stream a session can run over.
pub(super) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// An open socket, and its own port where it has one.
pub(super) struct Dialled {
    pub(super) stream: Box<dyn Duplex>,
    pub(super) local_port: Option<u16>,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => write!(f, "{address}"),
            Self::Unix(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Every address of `endpoint`, in the resolver's order; at least one.
pub(super) async fn resolve(endpoint: &Endpoint) -> Result<Vec<Address>, ConnectFailure> {
    match endpoint {
        Endpoint::Unix { directory, port } => Ok(vec![Address::Unix(
            directory.join(format!(".s.PGSQL.{port}")),
        )]),
        Endpoint::Tcp {
            address: Some(address),
            port,
            ..
        } => Ok(vec![Address::Tcp(SocketAddr::new(*address, *port))]),
        Endpoint::Tcp {
            name,
            address: None,
            port,
        } => look_up(name, *port).await,
    }
}

async fn look_up(name: &str, port: u16) -> Result<Vec<Address>, ConnectFailure> {
    let found = lookup_host((name, port))
        .await
        .map_err(|error| name_lookup(name, Some(&error)))?;
    let addresses: Vec<Address> = found.map(Address::Tcp).collect();
    if addresses.is_empty() {
        return Err(name_lookup(name, None));
    }
    Ok(addresses)
}

/// Opens a socket to `address`.
pub(super) async fn open(
    address: &Address,
    keepalives: &Keepalives,
) -> Result<Dialled, ConnectFailure> {
    match address {
        Address::Tcp(address) => open_tcp(*address, keepalives)
            .await
            .map_err(|error| dialling(&error)),
        Address::Unix(path) => match UnixStream::connect(path).await {
            Ok(stream) => Ok(Dialled {
                stream: Box::new(stream),
                local_port: None,
            }),
            Err(error) => Err(socket_file(path, &error)),
        },
    }
}

async fn open_tcp(address: SocketAddr, keepalives: &Keepalives) -> io::Result<Dialled> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    set_options(&SockRef::from(&stream), keepalives)?;
    let local_port = stream.local_addr().ok().map(|address| address.port());
    Ok(Dialled {
        stream: Box::new(stream),
        local_port,
    })
}

fn set_options(socket: &SockRef<'_>, keepalives: &Keepalives) -> io::Result<()> {
    if keepalives.enabled {
        socket.set_tcp_keepalive(&tcp_keepalive(keepalives))?;
    }
    #[cfg(target_os = "linux")]
    if keepalives.user_timeout.is_some() {
        socket.set_tcp_user_timeout(keepalives.user_timeout)?;
    }
    Ok(())
}

fn tcp_keepalive(keepalives: &Keepalives) -> TcpKeepalive {
    let mut options = TcpKeepalive::new();
    if let Some(idle) = keepalives.idle {
        options = options.with_time(idle);
    }
    if let Some(interval) = keepalives.interval {
        options = options.with_interval(interval);
    }
    if let Some(count) = keepalives.count {
        options = options.with_retries(count);
    }
    options
}
