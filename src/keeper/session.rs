//! The keeper's connection: opened again when an answer was not known.

use std::time::Duration;

use anyhow::{Context, Result};

use crate::lease::TableName;
use crate::pg::connect::{Connection, connect};
use crate::pg::lease::Leases;
use crate::pg::target::Target;

pub(super) struct Session {
    target: Target,
    table: TableName,
    connection: Option<Connection>,
}

impl Session {
    pub fn of(target: Target, table: TableName) -> Self {
        Self {
            target,
            table,
            connection: None,
        }
    }

    /// # Errors
    /// When no server can be reached that takes writes.
    pub async fn open(&mut self) -> Result<()> {
        if self.connection.is_none() {
            self.connection = Some(connect(&self.target).await?);
        }
        Ok(())
    }

    /// Asks within this time, connecting included. Without an answer the connection is given up: whatever
    /// it was asked may still come to pass, and nothing is sent after it. No cancel request is sent: one
    /// would end a wait for a synchronous standby and leave the change behind.
    ///
    /// # Errors
    /// Unknown: it may have been done.
    pub async fn ask<T>(
        &mut self,
        within: Duration,
        question: impl AsyncFnOnce(&Leases<'_>) -> Result<T>,
    ) -> Result<T> {
        let asked = async {
            self.open().await?;
            let connection = self.connection.as_ref().context("it was just opened")?;
            question(&Leases::of(connection, &self.table)).await
        };
        let answer = match tokio::time::timeout(within, asked).await {
            Ok(answer) => answer,
            Err(_) => Err(no_answer(within)),
        };
        if answer.is_err() {
            self.connection = None;
        }
        answer
    }

    pub async fn close(self) {
        if let Some(connection) = self.connection {
            connection.close().await;
        }
    }
}

fn no_answer(within: Duration) -> anyhow::Error {
    anyhow::anyhow!("no answer within {}", crate::words::duration(within))
}
