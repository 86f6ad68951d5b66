//! An open session: what is known of it, and its end.

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::bail;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_postgres::Client;
use tokio_util::sync::CancellationToken;

use super::dial::Address;
use super::driver::Unasked;
use super::target::Endpoint;
use super::transaction::Frame;
use super::way_in::WayIn;
use crate::pooler::Console;
use crate::snapshot::{ConnectionPath, PoolerSign};

/// An open session.
pub struct Connection {
    pub client: Client,
    /// The one that answered.
    pub endpoint: Endpoint,
    /// Where its socket leads.
    pub address: Address,
    /// Our own end; a server that sees another port is behind a pooler or NAT.
    pub local_port: Option<u16>,
    /// The server process that the login named; a pooler makes one up.
    pub named_process: Option<i32>,
    /// What we said our name is.
    pub application_name: String,
    /// When we dialled.
    pub(super) dialled: Instant,
    pub(super) way_in: OnceLock<WayIn>,
    /// A pooler lets clients in before it has a server for them, so what was meant as the limit for
    /// connecting binds the first answer too. `None`: no limit was set.
    pub first_answer_within: Option<Duration>,
    /// As reported at the start; PgBouncer's console says `1.25.2/bouncer`.
    pub server_version: String,
    pub encrypted: bool,
    /// What the server says outside of answers.
    pub unasked: Unasked,
    pub(super) driver: JoinHandle<()>,
}

impl Connection {
    /// Whether this is a PgBouncer's console, which knows no SQL but its own `SHOW` and such.
    pub fn is_admin_console(&self) -> bool {
        self.console() == Some(Console::PgBouncer)
    }

    pub(super) fn console(&self) -> Option<Console> {
        Console::of_version(&self.server_version)
    }

    /// # Errors
    /// When it is one.
    pub(super) fn refuse_admin_console(&self) -> anyhow::Result<()> {
        match self.console() {
            Some(console) => bail!(console.is_no_database()),
            None => Ok(()),
        }
    }

    /// What a question over this connection stands in. Through a pooler that may share by the
    /// statement no transaction is begun; to take a role there is no other way.
    pub(super) fn frame(&self, role: Option<&str>) -> Frame {
        let path = self.way_in.get().map(|way_in| way_in.path);
        match (path, role) {
            (Some(ConnectionPath::Pooler(_)), None) => Frame::Nothing,
            _ => Frame::Transaction,
        }
    }

    /// Told by an earlier connection of the same way.
    pub(super) fn shares_by_statement(&self) {
        let path = ConnectionPath::Pooler(PoolerSign::StatementMode);
        // Nothing was asked over this one yet.
        let _ = self.way_in.set(WayIn { path, pid: 0 });
    }

    /// Says goodbye, so that the server does not log a lost connection; waits a second at most.
    pub async fn close(self) {
        let Self {
            client, mut driver, ..
        } = self;
        drop(client);
        let _ = tokio::time::timeout(Duration::from_secs(1), end_of(&mut driver)).await;
    }

    /// Closes the socket, whatever is under way: the server may still do it. Nothing is cancelled, since a
    /// cancelled commit may have been done and not be durable.
    pub fn abandon(self) {
        self.driver.abort();
    }

    /// Cancelled once the session has ended.
    pub(super) fn tells_its_end(&mut self) -> CancellationToken {
        let ended = CancellationToken::new();
        let last = ended.clone().drop_guard();
        let mut driver = std::mem::replace(&mut self.driver, tokio::spawn(async {}));
        self.driver = tokio::spawn(async move {
            let _last = last;
            end_of(&mut driver).await;
        });
        ended
    }

    /// Comes back once the session has ended, and at once if it has ended before.
    pub async fn ended(&mut self) {
        end_of(&mut self.driver).await;
    }
}

/// A finished task must not be asked again.
async fn end_of(driver: &mut JoinHandle<()>) {
    if !driver.is_finished() {
        let _ = driver.await;
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("address", &self.address)
            .field("server_version", &self.server_version)
            .field("encrypted", &self.encrypted)
            .finish_non_exhaustive()
    }
}
