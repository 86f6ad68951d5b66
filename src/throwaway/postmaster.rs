//! Owns the process of a server: its start, until it takes connections, and its end.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};

use super::deadline::poll;

const PATIENCE: Duration = Duration::from_secs(60);
const LINES_TO_SHOW: usize = 12;

/// How a server is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shutdown {
    /// Sessions are ended and everything is written.
    Fast,
    /// At once, as in a crash: the next start recovers.
    Immediate,
}

/// A running server, and where it writes.
#[derive(Debug)]
pub struct Postmaster {
    process: Child,
    pid_file: PathBuf,
    log: PathBuf,
}

impl Postmaster {
    /// Gives the server back once it takes connections (a standby: reading ones).
    pub fn start(mut postgres: Command, data: &Path, log: &Path) -> Result<Self> {
        let output = File::options()
            .create(true)
            .append(true)
            .open(log)
            .context("could not write the server's log")?;
        let process = postgres
            .arg("-D")
            .arg(data)
            .stdin(Stdio::null())
            .stdout(
                output
                    .try_clone()
                    .context("could not write the server's log")?,
            )
            .stderr(output)
            .process_group(0)
            .spawn()
            .context("could not start `postgres`")?;
        let mut started = Self {
            process,
            pid_file: data.join("postmaster.pid"),
            log: log.to_owned(),
        };
        started.wait_until_ready()?;
        Ok(started)
    }

    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    pub fn stop(mut self, shutdown: Shutdown) -> Result<()> {
        let signal = match shutdown {
            Shutdown::Fast => Signal::INT,
            Shutdown::Immediate => Signal::QUIT,
        };
        self.signal(signal);
        match poll(PATIENCE, || self.is_gone().then_some(())) {
            Some(()) => Ok(()),
            None => bail!(
                "the server did not stop; its log ends with:\n{}",
                last_lines(&self.log)
            ),
        }
    }

    fn wait_until_ready(&mut self) -> Result<()> {
        let state = poll(PATIENCE, || match (self.is_gone(), self.is_ready()) {
            (true, _) => Some("stopped by itself"),
            (false, true) => Some("ready"),
            (false, false) => None,
        });
        match state {
            Some("ready") => Ok(()),
            other => {
                let trouble = other.unwrap_or("was not ready in time");
                bail!(
                    "the server {trouble}; its log ends with:\n{}",
                    last_lines(&self.log)
                )
            }
        }
    }

    /// Line 1 of the file is the server's pid and line 8 its state; the file of a server that
    /// crashed lies there until ours replaces it.
    fn is_ready(&self) -> bool {
        let content = fs::read_to_string(&self.pid_file).unwrap_or_default();
        let mut lines = content.lines().map(str::trim);
        lines.next() == Some(&self.pid().to_string()) && lines.nth(6) == Some("ready")
    }

    fn is_gone(&mut self) -> bool {
        !matches!(self.process.try_wait(), Ok(None))
    }

    fn signal(&self, signal: Signal) {
        // It fails when the server is gone already, which is what a caller wants.
        let _ = kill_process(Pid::from_child(&self.process), signal);
    }
}

impl Drop for Postmaster {
    fn drop(&mut self) {
        if !self.is_gone() {
            self.signal(Signal::QUIT);
            let _ = self.process.wait();
        }
    }
}

fn last_lines(log: &Path) -> String {
    let content = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&content);
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES_TO_SHOW)..].join("\n")
}
