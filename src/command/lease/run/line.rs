//! The connection of a lease's own: one question at a time, opened when it is needed, dropped when an answer
//! does not come.

use std::time::Duration;

use anyhow::{Result, anyhow};
use tokio::time::timeout;

use crate::boot_clock;
use crate::lease::{Name, TableName};
use crate::pg::connect::Connection;
use crate::pg::lease::{Leases, hush, listen};
use crate::pg::release;
use crate::pg::settings::Resolved;
use crate::words;

/// Where leases are.
pub(super) struct Server {
    pub(super) resolved: Resolved,
    pub(super) table: TableName,
}

/// A connection, if there is one.
pub(super) struct Line<'a> {
    server: &'a Server,
    connection: Option<Open>,
    /// Whether any connection ever came about.
    reached: bool,
}

/// An answer, and a moment before its question was sent.
pub(super) struct Answer<T> {
    pub(super) sent_at: Duration,
    pub(super) told: T,
}

impl Server {
    /// Each host gets its share of an attempt: one that is silent must not keep us from the next. The last tenth is
    /// kept, for saying which one was silent.
    pub(super) fn within(mut self, attempt: Duration) -> Self {
        let target = &mut self.resolved.target;
        if let Ok(hosts @ 1..) = u32::try_from(target.hosts.len()) {
            let share = attempt * 9 / 10 / hosts;
            let limit = target.connect_timeout.unwrap_or(share);
            target.connect_timeout = Some(limit.min(share));
        }
        self
    }
}

impl<'a> Line<'a> {
    pub(super) fn to(server: &'a Server) -> Self {
        Self {
            server,
            connection: None,
            reached: false,
        }
    }

    /// Asks one question. Without an answer within this time the connection is dropped, and so it is after any
    /// error: the next question is asked over a new one, perhaps of another host.
    ///
    /// # Errors
    /// Nothing is known then: what was asked for may have been done.
    pub(super) async fn ask<T>(
        &mut self,
        within: Duration,
        question: impl AsyncFnOnce(&Leases<'_>) -> Result<T>,
    ) -> Result<Answer<T>> {
        let asked = self.ask_without_limit(question);
        timeout(within, asked).await.unwrap_or_else(|_| {
            let within = words::duration(within);
            Err(anyhow!("no answer came within {within}"))
        })
    }

    async fn ask_without_limit<T>(
        &mut self,
        question: impl AsyncFnOnce(&Leases<'_>) -> Result<T>,
    ) -> Result<Answer<T>> {
        let open = match self.connection.take() {
            Some(open) => open,
            None => Open::of(release::open(&self.server.resolved).await?),
        };
        self.reached = true;
        let sent_at = boot_clock::now();
        let told = question(&open.leases(&self.server.table)).await?;
        self.connection = Some(open);
        Ok(Answer { sent_at, told })
    }

    pub(super) fn server(&self) -> &'a Server {
        self.server
    }

    /// Whether a server was ever there to be asked.
    pub(super) fn has_reached_a_server(&self) -> bool {
        self.reached
    }

    /// Hears of leases that are given back from now on, where this connection can.
    pub(super) async fn listen(&mut self, within: Duration) {
        if let Some(mut open) = self
            .connection
            .take_if(|open| open.hearing == Hearing::NotAsked)
        {
            let listening = listen(open.connection(), &self.server.table);
            // Without an answer the connection is dropped, and a look needs none.
            if let Ok(Ok(listens)) = timeout(within, listening).await {
                open.hearing = match listens {
                    true => Hearing::Listens,
                    false => Hearing::Deaf,
                };
                self.connection = Some(open);
            }
        }
    }

    pub(super) async fn hush(&mut self, within: Duration) {
        if let Some(mut open) = self
            .connection
            .take_if(|open| open.hearing == Hearing::Listens)
            && let Ok(Ok(())) = timeout(within, hush(open.connection())).await
        {
            open.hearing = Hearing::NotAsked;
            self.connection = Some(open);
        }
    }

    /// Comes back once it is heard that this lease was given back; never where nothing can be heard.
    pub(super) async fn hears_of(&self, name: &Name) {
        match &self.connection {
            Some(open) if open.hearing == Hearing::Listens => {
                open.connection().unasked.notified_of(name.as_str()).await
            }
            _ => std::future::pending().await,
        }
    }

    /// Says goodbye.
    pub(super) async fn close(mut self) {
        if let Some(mut open) = self.connection.take()
            && let Some(connection) = open.connection.take()
        {
            connection.close().await;
        }
    }
}

/// Abandoned when it is dropped.
struct Open {
    connection: Option<Connection>,
    hearing: Hearing,
}

/// Whether notifications come over a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hearing {
    NotAsked,
    Listens,
    /// It may be a pooler's.
    Deaf,
}

impl Open {
    fn of(connection: Connection) -> Self {
        Self {
            connection: Some(connection),
            hearing: Hearing::NotAsked,
        }
    }

    fn connection(&self) -> &Connection {
        self.connection.as_ref().expect("only its end takes it out")
    }

    fn leases<'b>(&'b self, table: &'b TableName) -> Leases<'b> {
        Leases::of(self.connection(), table)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            connection.abandon();
        }
    }
}
