//! Ctrl-Z and `fg`: a job that stops stops us too, as a shell expects of what it started. Then nobody renews
//! the lease, and the guardian ends the job before the lease does, unless both are continued in time.

use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::{Signal, kill_current_process_group};
use tokio::signal::unix::{self, SignalKind, signal};
use tokio::time::timeout;

use super::{Group, Terminal};

/// A process that was stopped and continued knows of it at once.
const CONTINUED_WITHIN: Duration = Duration::from_millis(100);

/// Knows when we are continued.
pub struct Suspension {
    continued: unix::Signal,
}

impl Suspension {
    /// # Errors
    /// When the system does not tell about signals.
    pub fn listen() -> Result<Self> {
        let kind = SignalKind::from_raw(Signal::CONT.as_raw());
        let continued = signal(kind).context("could not listen for SIGCONT")?;
        Ok(Self { continued })
    }

    /// Comes back when we have been continued, by `fg`, `bg` or `kill -CONT`.
    pub async fn continued(&mut self) {
        self.continued.recv().await;
    }

    /// What to do about a job that was stopped by this signal: it runs again afterwards, or waits for whoever
    /// stopped it by other means than the terminal.
    pub async fn follow(&mut self, group: Group, terminal: &mut Terminal, signal: i32) {
        let asks_for_the_terminal =
            signal == Signal::TTIN.as_raw() || signal == Signal::TTOU.as_raw();
        if asks_for_the_terminal && terminal.hand_over(group) {
            return group.signal(Signal::CONT);
        }
        let was_typed = signal == Signal::TSTP.as_raw() && terminal.is_handed_over();
        if !was_typed && !asks_for_the_terminal {
            return;
        }
        terminal.take_back();
        let was_stopped = self.stop_ourselves().await;
        if was_stopped || was_typed {
            resume(group, terminal);
        }
    }

    /// Stops our whole group, as the terminal would, and comes back when it is continued. Whether it was
    /// stopped at all: the kernel does not stop a group that nobody could continue.
    async fn stop_ourselves(&mut self) -> bool {
        let sent = kill_current_process_group(Signal::TSTP).is_ok();
        sent && timeout(CONTINUED_WITHIN, self.continued()).await.is_ok()
    }
}

/// In the foreground with the terminal, in the background without it.
pub fn resume(group: Group, terminal: &mut Terminal) {
    terminal.hand_over_to_talk(group);
    group.signal(Signal::CONT);
}
