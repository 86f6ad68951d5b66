//! Startup and authentication on a line, through tokio-postgres.

use tokio_postgres::config::{SslMode, SslNegotiation};
use tokio_postgres::{Client, Config};

use super::failure::{ConnectFailure, from_login};
use super::line::{HandshakeDone, Line};
use super::target::{ChannelBinding, Password, Target};

/// Whether a line is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Security {
    Plain,
    Encrypted,
}

/// A session, and the half of it that must be driven.
pub(super) type Session = (Client, tokio_postgres::Connection<Line, Line>);

/// Logs in as `target` says, with the password that belongs to this host.
pub(super) async fn log_in(
    line: Line,
    security: Security,
    target: &Target,
    password: Option<&Password>,
) -> Result<Session, ConnectFailure> {
    let head = line.head();
    config(security, target, password)
        .connect_raw(line, HandshakeDone)
        .await
        .map_err(|error| from_login(&error, &head.bytes()))
}

/// The handshake is done by now; direct negotiation is how tokio-postgres is told not to ask.
fn config(security: Security, target: &Target, password: Option<&Password>) -> Config {
    let mut config = Config::new();
    config
        .user(&target.user)
        .dbname(&target.dbname)
        .application_name(&target.application_name)
        .channel_binding(channel_binding(target.channel_binding))
        .ssl_negotiation(SslNegotiation::Direct)
        .ssl_mode(match security {
            Security::Plain => SslMode::Disable,
            Security::Encrypted => SslMode::Require,
        });
    if let Some(password) = password {
        config.password(password.reveal());
    }
    if let Some(options) = &target.options {
        config.options(options);
    }
    config
}

fn channel_binding(wanted: ChannelBinding) -> tokio_postgres::config::ChannelBinding {
    match wanted {
        ChannelBinding::Disable => tokio_postgres::config::ChannelBinding::Disable,
        ChannelBinding::Prefer => tokio_postgres::config::ChannelBinding::Prefer,
        ChannelBinding::Require => tokio_postgres::config::ChannelBinding::Require,
    }
}
