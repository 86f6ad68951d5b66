//! An open session: what is known of it, and its end.

use std::fmt;
use std::time::Duration;

use anyhow::ensure;
use tokio::task::JoinHandle;
use tokio_postgres::Client;

use super::dial::Address;
use super::driver::Unasked;
use super::target::Endpoint;

/// An open session.
pub struct Connection {
    pub client: Client,
    /// The one that answered.
    pub endpoint: Endpoint,
    /// Where its socket leads.
    pub address: Address,
    /// Our own end; a server that sees another port is behind a pooler or NAT.
    pub local_port: Option<u16>,
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
        self.server_version.ends_with("/bouncer")
    }

    /// # Errors
    /// When it is one.
    pub(super) fn refuse_admin_console(&self) -> anyhow::Result<()> {
        ensure!(
            !self.is_admin_console(),
            "this is PgBouncer's admin console, not a database: name a database that it serves, or the server itself"
        );
        Ok(())
    }

    /// Says goodbye, so that the server does not log a lost connection; waits a second at most.
    pub async fn close(self) {
        let Self {
            client, mut driver, ..
        } = self;
        drop(client);
        let _ = tokio::time::timeout(Duration::from_secs(1), end_of(&mut driver)).await;
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
