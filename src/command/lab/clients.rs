//! Clients that come one by one, straight to the server or through a pooler, and what they are told.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

use super::stage::{Stage, in_time};
use crate::lab::{Client, Job, Way};
use crate::pg::connect::{Connection, connect};
use crate::throwaway::PgBouncer;
use crate::words;

/// Those that are there, by name.
pub(super) type Clients = BTreeMap<&'static str, Connection>;

impl Stage {
    pub(super) fn start_pooler(&mut self, size: usize) -> Result<()> {
        self.pooler = Some(self.server.start_pooler(size)?);
        let connections = words::count(size, "connection");
        let text = format!("starts in transaction mode, with {connections} to the server");
        self.event("pgbouncer", &text)
    }

    pub(super) async fn come(&mut self, client: Client) -> Result<()> {
        let (pooler, how) = match client.way {
            Way::Direct => (None, "comes straight to the server"),
            Way::Pooler => (Some(self.pooler()?), "comes through PgBouncer"),
        };
        let mut target = self.server.client_target(pooler)?;
        target.application_name = client.name.to_owned();
        self.clients.insert(client.name, connect(&target).await?);
        self.event(client.name, how)
    }

    pub(super) async fn ask(&mut self, client: Client, job: Job, expected: bool) -> Result<()> {
        let connection = self.clients.get(client.name);
        let connection = connection.with_context(|| format!("{} has not come", client.name))?;
        let answer = in_time("the answer to a lock call", connection.try_lock(job.0)).await??;
        ensure!(
            answer == expected,
            "{} was to be told {expected}, and was told {answer}",
            client.name
        );
        let text = format!("pg_try_advisory_lock(hashtext('{}')) is {answer}", job.0);
        self.event(client.name, &text)
    }

    pub(super) async fn leave(&mut self, client: Client) -> Result<()> {
        let connection = self.clients.remove(client.name);
        let connection = connection.with_context(|| format!("{} has not come", client.name))?;
        connection.close().await;
        self.event(client.name, "is gone, without an unlock")
    }

    pub(super) fn pooler(&self) -> Result<&PgBouncer> {
        let pooler = self.pooler.as_ref();
        pooler.context("the scenario has not started its pooler")
    }
}
