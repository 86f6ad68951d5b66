//! From a command to a running job, in two steps: launched, and let go.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, getpid, kill_process};
use tokio::time::timeout;

use super::{CALLED, Change, Children, Group};

/// A launcher has next to nothing to do before it stops.
const LAUNCHED_WITHIN: Duration = Duration::from_secs(10);

/// A command, as typed after `--`.
#[derive(Debug, Clone)]
pub struct Order<'a> {
    pub command: &'a [OsString],
    /// What it finds in its environment besides ours, and what it does not find there.
    pub environment: Vec<(&'static str, Option<String>)>,
}

/// A process group and its first process, our child.
#[derive(Debug, Clone, Copy)]
pub struct Job {
    pub group: Group,
}

impl Job {
    /// A launcher, stopped in a group of its own.
    ///
    /// # Errors
    /// When no process can be started.
    pub async fn launch(order: &Order<'_>, children: &mut Children) -> Result<Self> {
        let mut launcher = Command::new(own_executable()?);
        for (name, value) in &order.environment {
            match value {
                Some(value) => launcher.env(name, value),
                None => launcher.env_remove(name),
            };
        }
        let child = launcher
            .arg0(CALLED)
            .arg(getpid().as_raw_nonzero().to_string())
            .args(order.command)
            .process_group(0)
            .spawn()
            .context("could not start a process for the job")?;
        let job = Self {
            group: Group::of(Pid::from_child(&child)),
        };
        let stopped = timeout(LAUNCHED_WITHIN, job.is_stopped(children)).await;
        let stopped = stopped.unwrap_or_else(|_| bail!("the process for the job does not start"));
        if stopped.is_err() {
            job.group.kill();
        }
        stopped.map(|()| job)
    }

    async fn is_stopped(self, children: &mut Children) -> Result<()> {
        loop {
            children.changed().await;
            for (pid, change) in children.changes() {
                match change {
                    _ if pid != self.group.leader() => {}
                    Change::Stopped(_) => return Ok(()),
                    Change::Continued => {}
                    Change::Exited(_) | Change::Killed(_) => {
                        bail!("the process for the job ended before it began")
                    }
                }
            }
        }
    }

    /// What ends programs goes to all of the group, as from a terminal; what only means something to a program
    /// that knows of it goes to the command alone, as `kill` would send it.
    pub fn pass_on(self, signal: Signal) {
        let for_the_command = signal == Signal::USR1 || signal == Signal::USR2;
        if for_the_command {
            // It may have ended meanwhile.
            let _ = kill_process(self.group.leader(), signal);
        } else {
            self.group.signal(signal);
        }
    }

    /// Lets the command begin.
    pub fn go(self) {
        self.group.signal(Signal::CONT);
    }
}

/// This very program: not what has its name by now, after an upgrade.
pub fn own_executable() -> Result<PathBuf> {
    let running = PathBuf::from("/proc/self/exe");
    if running.exists() {
        return Ok(running);
    }
    std::env::current_exe().context("could not find the lockaudit program itself")
}
