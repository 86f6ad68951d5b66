//! The throwaway server of a run, and the lab's own look at it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};

use crate::lease::{Listed, TableName};
use crate::pg::connect::{Connection, connect};
use crate::pg::settings::{self, Environment, Request};
use crate::pg::target::Target;
use crate::pg::{LockCount, lease};
use crate::throwaway::{Cluster, ClusterOptions, Installation, PgBouncer, remove_leftovers};

const OLDEST_MAJOR: u32 = 13;
const DATABASE: &str = "app";
const ROLE: &str = "postgres";
const TABLE_OF_WORK: &str =
    "CREATE TABLE work (job text NOT NULL, at timestamptz NOT NULL DEFAULT now())";

/// A running server with an empty database. Dropped, it is gone with all its files.
pub(super) struct Server {
    cluster: Cluster,
}

impl Server {
    /// Starts the newest PostgreSQL of this machine.
    pub(super) async fn start() -> Result<Self> {
        // When the run is interrupted meanwhile, the runtime waits for the start to end, and what
        // was started goes with the value that nobody takes.
        let cluster = tokio::task::spawn_blocking(start_cluster).await;
        let server = Self {
            cluster: cluster.context("the start of the server panicked")??,
        };
        let session = connect(&server.target("postgres")?).await?;
        session.run(&format!("CREATE DATABASE {DATABASE}")).await?;
        session.close().await;
        Ok(server)
    }

    pub(super) fn version(&self) -> &str {
        &self.cluster.installation().version
    }

    /// What is in it goes with the server.
    pub(super) fn folder(&self) -> &Path {
        self.cluster.socket_folder()
    }

    pub(super) fn connection_string(&self) -> String {
        self.cluster.connection_string(DATABASE, ROLE)
    }

    /// How the application connects: the user's own variables do not change what is replayed.
    pub(super) fn application_target(&self) -> Result<Target> {
        self.target(DATABASE)
    }

    /// Starts a pooler in front of it.
    pub(super) fn start_pooler(&self, size: usize) -> Result<PgBouncer> {
        PgBouncer::start(&self.cluster, size)
    }

    /// Through the pooler, if there is one to go through.
    pub(super) fn client_target(&self, pooler: Option<&PgBouncer>) -> Result<Target> {
        match pooler {
            Some(pooler) => target(pooler.connection_string(DATABASE, ROLE)),
            None => self.target(DATABASE),
        }
    }

    pub(super) fn connection_string_through(&self, pooler: &PgBouncer) -> String {
        pooler.connection_string(DATABASE, ROLE)
    }

    pub(super) fn console_of(&self, pooler: &PgBouncer) -> String {
        pooler.connection_string("pgbouncer", ROLE)
    }

    /// Runs a statement over a connection of its own; gives back how many rows it gave.
    pub(super) async fn run(&self, sql: &str) -> Result<usize> {
        let session = self.session().await?;
        let rows = session.run(sql).await;
        session.close().await;
        rows
    }

    /// Counts over a connection of its own, which is gone before a scan looks.
    pub(super) async fn count_locks(&self) -> Result<LockCount> {
        let session = self.session().await?;
        let count = session.count_locks().await;
        session.close().await;
        count
    }

    /// Makes the tables of leases, and one for the work under them.
    pub(super) async fn prepare_for_leases(&self) -> Result<()> {
        let session = self.session().await?;
        let table = TableName::default();
        lease::create(&lease::Leases::of(&session, &table)).await?;
        session.run(TABLE_OF_WORK).await?;
        session.close().await;
        Ok(())
    }

    pub(super) async fn leases(&self) -> Result<Vec<Listed>> {
        let session = self.session().await?;
        let table = TableName::default();
        let listed = lease::Leases::of(&session, &table).list().await;
        session.close().await;
        listed
    }

    async fn session(&self) -> Result<Connection> {
        Ok(connect(&self.target(DATABASE)?).await?)
    }

    fn target(&self, database: &str) -> Result<Target> {
        target(self.cluster.connection_string(database, ROLE))
    }
}

fn target(connection: String) -> Result<Target> {
    let request = Request {
        positional: Some(connection),
        application_name: Some("lockaudit-lab".to_owned()),
        ..Request::default()
    };
    let environment = Environment {
        variables: BTreeMap::new(),
        ..Environment::of_this_process()
    };
    Ok(settings::resolve(&request, &environment)?.target)
}

fn start_cluster() -> Result<Cluster> {
    remove_leftovers()?;
    Cluster::start(&newest()?, &ClusterOptions::default())
}

fn newest() -> Result<Installation> {
    let mut found = Installation::find_all()?.into_iter().rev();
    found
        .find(|installation| installation.major >= OLDEST_MAJOR)
        .context(
            "no PostgreSQL server (13 or later) was found on this machine: install one (Debian: \
             `apt install postgresql`, macOS: `brew install postgresql`), name the folder of its \
             programs in LOCKAUDIT_PG_BIN, or run `make servers` in lockaudit's checkout",
        )
}
