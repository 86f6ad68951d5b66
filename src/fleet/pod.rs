//! One worker: it does the job again and again, until it is told to stop.

use anyhow::{Context, Result};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::journal::Journal;
use super::{new_code, old_code};
use crate::cutover::double_work::Code;
use crate::pg::target::Target;

/// What a worker of either code needs.
pub(super) struct Place {
    pub number: u32,
    pub job: String,
    pub target: Target,
    pub journal: Journal,
    pub stop: CancellationToken,
}

/// A running worker. Dropped, it ends after its work.
pub struct Pod {
    name: String,
    code: Code,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Pod {
    pub(super) async fn start(
        number: u32,
        code: Code,
        job: &str,
        target: &Target,
        journal: &Journal,
    ) -> Result<Self> {
        let name = match code {
            Code::Old => format!("old-{number}"),
            Code::New => format!("new-{number}"),
        };
        let stop = CancellationToken::new();
        let place = Place {
            number,
            job: job.to_owned(),
            target: Target {
                application_name: name.clone(),
                ..target.clone()
            },
            journal: journal.clone(),
            stop: stop.clone(),
        };
        let task = match code {
            Code::Old => tokio::spawn(old_code::begin(place).await?),
            Code::New => tokio::spawn(new_code::begin(place).await?),
        };
        Ok(Self {
            name,
            code,
            stop,
            task,
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn code(&self) -> Code {
        self.code
    }

    pub fn is_to_stop(&self) {
        self.stop.cancel();
    }

    /// Comes back once its work is done and its sessions are closed.
    pub(super) async fn stop(mut self) -> Result<()> {
        self.is_to_stop();
        let ended = (&mut self.task).await;
        ended.with_context(|| format!("{} panicked", self.name))
    }
}

impl Drop for Pod {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
