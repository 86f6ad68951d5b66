//! Workers of old and new code that do one job in turns, on a real server, and a journal of when each was at it.
//!
//! For the lab and the tests: what a deploy looks like from the work's side.

mod journal;
mod new_code;
mod old_code;
mod pod;

use std::collections::BTreeSet;

use anyhow::{Context, Result};

pub use journal::{AtWork, Journal};
pub use pod::Pod;

use crate::cutover::double_work::Code;
use crate::key::AdvisoryKey;
use crate::key::hash::hashtext;
use crate::pg::target::Target;

/// The pods that do one job.
pub struct Fleet {
    job: String,
    target: Target,
    journal: Journal,
    pods: Vec<Pod>,
    started: u32,
}

impl Fleet {
    /// Nobody yet. `target` says everything but the pods' names.
    pub fn of(job: &str, target: Target) -> Self {
        Self {
            job: job.to_owned(),
            target,
            journal: Journal::default(),
            pods: Vec::new(),
            started: 0,
        }
    }

    pub fn job(&self) -> &str {
        &self.job
    }

    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// What code is there now.
    pub fn codes(&self) -> BTreeSet<Code> {
        self.pods.iter().map(Pod::code).collect()
    }

    /// One more pod, connected when this comes back.
    ///
    /// # Errors
    /// When it can't connect.
    pub async fn start(&mut self, code: Code) -> Result<&Pod> {
        self.started += 1;
        let pod = Pod::start(self.started, code, &self.job, &self.target, &self.journal).await?;
        self.pods.push(pod);
        self.pods.last().context("it was just started")
    }

    /// The oldest pod with other code ends, after its work; its name. Nothing: there is none.
    ///
    /// # Errors
    /// When it had failed.
    pub async fn stop_one_without(&mut self, code: Code) -> Result<Option<String>> {
        let Some(at) = self.pods.iter().position(|pod| pod.code() != code) else {
            return Ok(None);
        };
        let pod = self.pods.remove(at);
        let name = pod.name().to_owned();
        pod.stop().await?;
        Ok(Some(name))
    }

    /// All end, after their work.
    ///
    /// # Errors
    /// When one had failed.
    pub async fn stop(&mut self) -> Result<()> {
        for pod in &self.pods {
            pod.is_to_stop();
        }
        for pod in self.pods.drain(..) {
            pod.stop().await?;
        }
        Ok(())
    }
}

/// The key of a job, as old code makes it: `hashtext(job)`.
pub fn old_key(job: &str) -> AdvisoryKey {
    AdvisoryKey::Single(hashtext(job).into())
}
