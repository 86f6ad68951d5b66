//! A server with a crowd on it: sessions that hold twenty advisory locks each, and some that wait.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use lockaudit::throwaway::{Cluster, ClusterOptions};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use tokio_postgres::{Client, NoTls};

use crate::places::{Places, connection_to};

const HOLDERS: usize = 1_000;
const LOCKS_EACH: usize = 20;
const WAITERS: usize = 300;

/// Sessions that share an application name, as those of one pool do.
const POOL: usize = 10;

/// Logins under way at once: more only queue up before the server.
const AT_ONCE: usize = 32;

const PATIENCE: Duration = Duration::from_secs(60);

/// What the waiters wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// Each for another holder.
    Apart,
    /// All for the same one.
    InOneQueue,
}

/// Gone with the value, server and all.
pub struct Crowd {
    // Sessions end before the runtime that moves their bytes, and both before the server.
    holders: Vec<Client>,
    _waiters: Vec<Client>,
    runtime: Runtime,
    cluster: Cluster,
    locks_each: usize,
}

impl Crowd {
    pub fn gather(places: &Places, waiting: Waiting) -> Result<Self> {
        allow_many_files()?;
        let cluster = places.start(&options())?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let connection = connection_to(&cluster);
        let holders = runtime.block_on(open(&connection, "worker", HOLDERS))?;
        let waiters = runtime.block_on(open(&connection, "waiter", WAITERS))?;
        let mut crowd = Self {
            holders,
            _waiters: Vec::new(),
            runtime,
            cluster,
            locks_each: 0,
        };
        crowd.hold(LOCKS_EACH)?;
        crowd.wait(waiters, waiting)?;
        Ok(crowd)
    }

    pub fn connection(&self) -> String {
        connection_to(&self.cluster)
    }

    pub fn size(&self) -> String {
        let Self { locks_each, .. } = self;
        format!("{HOLDERS} sessions with {locks_each} advisory locks each, {WAITERS} waiters")
    }

    /// Lets each holder take locks until it has so many.
    pub fn hold(&mut self, locks_each: usize) -> Result<()> {
        let first = self.locks_each;
        for (holder, client) in self.holders.iter().enumerate() {
            let sql = format!(
                "SELECT pg_advisory_lock({holder}, item) FROM generate_series({first}, {locks_each} - 1) AS item"
            );
            self.runtime.block_on(client.batch_execute(&sql))?;
        }
        self.locks_each = locks_each;
        Ok(())
    }

    fn wait(&mut self, waiters: Vec<Client>, waiting: Waiting) -> Result<()> {
        for (waiter, client) in waiters.into_iter().enumerate() {
            let holder = match waiting {
                Waiting::Apart => waiter,
                Waiting::InOneQueue => 0,
            };
            let sql = format!("SELECT pg_advisory_lock({holder}, 0)");
            self.runtime
                .spawn(async move { client.batch_execute(&sql).await });
        }
        self.runtime
            .block_on(until_waiting(&self.holders[0], WAITERS as i64))
    }
}

fn options() -> ClusterOptions {
    ClusterOptions::default()
        .max_connections(1_400)
        .setting("max_locks_per_transaction", "128")
        .setting("shared_buffers", "128MB")
}

/// A session is a file for us, and 1,024 is where most systems start to refuse.
fn allow_many_files() -> Result<()> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    setrlimit(Resource::Nofile, raised).context("could not raise the number of open files")?;
    let enough = limit.maximum.is_none_or(|most| most >= 2_000);
    ensure!(enough, "the hard limit of open files is too low: {limit:?}");
    Ok(())
}

async fn open(connection: &str, name: &str, number: usize) -> Result<Vec<Client>> {
    let mut clients = Vec::with_capacity(number);
    let mut opening = JoinSet::new();
    for at in 0..number {
        if opening.len() == AT_ONCE {
            clients.extend(one_of(&mut opening).await?);
        }
        let pool = at / POOL;
        opening.spawn(log_in(format!(
            "{connection} application_name={name}-{pool}"
        )));
    }
    while let Some(client) = one_of(&mut opening).await? {
        clients.push(client);
    }
    Ok(clients)
}

async fn one_of(opening: &mut JoinSet<Result<Client>>) -> Result<Option<Client>> {
    opening.join_next().await.transpose()?.transpose()
}

/// The session's bytes are moved for as long as the client lives.
pub async fn log_in(connection: String) -> Result<Client> {
    let (client, connection) = tokio_postgres::connect(&connection, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// Returns once the server shows so many waits.
pub async fn until_waiting(client: &Client, waiters: i64) -> Result<()> {
    let begun = Instant::now();
    let sql = "SELECT count(*) FROM pg_locks WHERE NOT granted";
    while client.query_one(sql, &[]).await?.get::<_, i64>(0) < waiters {
        ensure!(begun.elapsed() < PATIENCE, "not everybody waits who should");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}
