//! The application of a scenario: an instance with its pool, its jobs and its readiness probe.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::pool::{Loan, Pool, Use};
use crate::keeper::{Keeper, Lease, Options};
use crate::lab::{Answer, Instance, Job};
use crate::lease::Token;
use crate::pg::target::Target;

/// What a job's queries come to, as far as a pool is concerned.
const WORK: &str = "SELECT 1";

/// A running instance. The jobs are in the order in which they began.
pub(super) struct Application {
    pool: Arc<Pool>,
    jobs: Vec<(Job, State)>,
    leases: Option<Leases>,
}

/// The leases of an instance, all on one connection.
struct Leases {
    keeper: Keeper,
    held: Vec<Lease>,
}

enum State {
    /// Holds its lock on this connection.
    Locked(Box<Loan>),
    /// Has asked for a second connection.
    AtWork(JoinHandle<Result<End>>),
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The session of its lock ended, so that it must not go on.
    LostItsLock,
    Done,
}

impl Application {
    /// `target` says everything but the instance's name.
    pub(super) async fn start(instance: Instance, mut target: Target) -> Result<Self> {
        target.application_name = instance.name.to_owned();
        Ok(Self {
            pool: Pool::open(target, instance.pool).await?,
            jobs: Vec::new(),
            leases: None,
        })
    }

    pub(super) fn usage(&self) -> Use {
        self.pool.usage()
    }

    /// Locks the job's name on a connection of its own.
    pub(super) async fn lock(&mut self, Job(name): Job) -> Result<()> {
        let mut loan = self.pool.borrow().await?;
        if !loan.connection().try_lock(name).await? {
            bail!("another session holds the lock of {name}");
        }
        self.jobs.push((Job(name), State::Locked(Box::new(loan))));
        Ok(())
    }

    /// Sends the job to work.
    pub(super) fn work(&mut self, job: Job) -> Result<()> {
        let at = self.jobs.iter().position(|(known, _)| *known == job);
        let at = at.with_context(|| format!("{} has not begun", job.0))?;
        let (_, State::Locked(locked)) = self.jobs.remove(at) else {
            bail!("{} is at work already", job.0);
        };
        let round = tokio::spawn(round(Arc::clone(&self.pool), job, *locked));
        self.jobs.insert(at, (job, State::AtWork(round)));
        Ok(())
    }

    /// Waits for the end of all jobs that are at work.
    pub(super) async fn ends(&mut self) -> Result<Vec<(Job, End)>> {
        let mut ends = Vec::new();
        for (job, state) in self.jobs.drain(..) {
            if let State::AtWork(round) = state {
                let end = round.await.context("a job panicked")?;
                ends.push((job, end.with_context(|| format!("{} failed", job.0))?));
            }
        }
        Ok(ends)
    }

    /// What a readiness probe does: it asks for a connection and runs a statement.
    pub(super) async fn probe(&self, within: Duration) -> Result<Answer> {
        Ok(match self.run(WORK, within).await? {
            Some(()) => Answer::Ready,
            None => Answer::NotReady,
        })
    }
}

impl Application {
    /// Opens the connection that keeps all leases.
    pub(super) async fn keep_leases(&mut self, target: Target) -> Result<()> {
        let keeper = Keeper::connect_to(target, Options::default()).await?;
        self.leases = Some(Leases {
            keeper,
            held: Vec::new(),
        });
        Ok(())
    }

    pub(super) async fn lease(&mut self, Job(name): Job) -> Result<Token> {
        let leases = self.leases()?;
        let lease = leases.keeper.take(&name.parse()?, None).await?;
        let lease = lease.with_context(|| format!("somebody else has the lease of {name}"))?;
        let token = lease.token();
        let token = token.with_context(|| format!("the lease of {name} has no token"))?;
        leases.held.push(lease);
        Ok(token)
    }

    /// Gives all leases back, and says how many of them it had.
    pub(super) async fn release_leases(&mut self) -> Result<usize> {
        let mut given_back = 0;
        for lease in std::mem::take(&mut self.leases()?.held) {
            given_back += usize::from(lease.release(None).await?);
        }
        Ok(given_back)
    }

    fn leases(&mut self) -> Result<&mut Leases> {
        let leases = self.leases.as_mut();
        leases.context("the instance keeps no leases")
    }

    /// Runs a statement on a connection of the pool; nothing if that took too long.
    pub(super) async fn run(&self, sql: &str, within: Duration) -> Result<Option<()>> {
        let run = async {
            let mut loan = self.pool.borrow().await?;
            loan.connection().run(sql).await
        };
        match timeout(within, run).await {
            Ok(done) => done.map(|_| Some(())),
            Err(_) => Ok(None),
        }
    }
}

/// The part of a job after its lock: a second connection, the work, and the lock given back.
async fn round(pool: Arc<Pool>, Job(name): Job, mut locked: Loan) -> Result<End> {
    let mut second = tokio::select! {
        biased;
        () = locked.connection().ended() => return Ok(End::LostItsLock),
        second = pool.borrow() => second?,
    };
    second.connection().run(WORK).await?;
    drop(second);
    if !locked.connection().unlock(name).await? {
        bail!("it did not hold its lock any more");
    }
    Ok(End::Done)
}
