//! What becomes of our child processes, and of orphans of theirs, which the kernel gives to us: so the end
//! of a job's last process is noticed, whoever its parent was.

use anyhow::{Context, Result};
use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, WaitStatus, wait};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// What became of a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Exited(u8),
    /// By this signal.
    Killed(u8),
    /// By this signal; it can be continued.
    Stopped(i32),
    Continued,
}

/// The only one who waits for children: their ends can be asked for once.
pub struct Children {
    changed: Signal,
}

impl Children {
    /// # Errors
    /// When the system does not tell about children.
    pub fn watch() -> Result<Self> {
        #[cfg(target_os = "linux")]
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
            .context("could not become the parent of orphans")?;
        let changed = signal(SignalKind::child()).context("could not listen for children")?;
        Ok(Self { changed })
    }

    /// Comes back once something may have changed.
    pub async fn changed(&mut self) {
        self.changed.recv().await;
    }

    /// What has changed since the last call.
    pub fn changes(&self) -> Vec<(Pid, Change)> {
        std::iter::from_fn(next_change).flatten().collect()
    }
}

/// Nothing once there is no more; an empty answer for what is of no interest.
fn next_change() -> Option<Option<(Pid, Change)>> {
    let all = WaitOptions::NOHANG | WaitOptions::UNTRACED | WaitOptions::CONTINUED;
    match wait(all) {
        Ok(Some((pid, status))) => Some(change(status).map(|change| (pid, change))),
        Err(Errno::INTR) => Some(None),
        Ok(None) | Err(_) => None,
    }
}

fn change(status: WaitStatus) -> Option<Change> {
    // A status has eight bits, and there are 64 signals.
    let byte = |number: i32| u8::try_from(number).ok();
    let exited = || status.exit_status().and_then(byte).map(Change::Exited);
    let killed = || {
        status
            .terminating_signal()
            .and_then(byte)
            .map(Change::Killed)
    };
    let stopped = || status.stopping_signal().map(Change::Stopped);
    let continued = || status.continued().then_some(Change::Continued);
    exited().or_else(killed).or_else(stopped).or_else(continued)
}
