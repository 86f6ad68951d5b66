//! The application of a scenario: an instance with its pool, its jobs and its readiness probe.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::pool::{Loan, Pool, Use};
use crate::lab::{Answer, Instance, Job};
use crate::pg::target::Target;

/// What a job's queries come to, as far as a pool is concerned.
const WORK: &str = "SELECT 1";

/// A running instance. The jobs are in the order in which they began.
pub(super) struct Application {
    pool: Arc<Pool>,
    jobs: Vec<(Job, State)>,
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
        let probe = async {
            let mut loan = self.pool.borrow().await?;
            loan.connection().run(WORK).await
        };
        match timeout(within, probe).await {
            Ok(answer) => answer.map(|_| Answer::Ready),
            Err(_) => Ok(Answer::NotReady),
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
