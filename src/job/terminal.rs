//! The controlling terminal: whose it is, and passing it to a job and back.

use std::fs::{File, OpenOptions};
use std::io::IsTerminal;

use nix::sys::signal::{SigSet, SigmaskHow, Signal as Blockable};
use rustix::process::{Pid, getpgrp};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr, tcsetpgrp};

use super::Group;

/// The terminal that controls our session.
pub struct Terminal {
    tty: File,
    /// Ours.
    group: Pid,
    /// As it was before the job had it.
    modes: Option<Termios>,
    handed_over: bool,
}

impl Terminal {
    /// Nothing where there is none: under cron, systemd, a pipeline of CI.
    pub fn of_this_process() -> Option<Self> {
        let tty = OpenOptions::new()
            .read(true)
            .write(true)
            .open("/dev/tty")
            .ok()?;
        Some(Self {
            tty,
            group: getpgrp(),
            modes: None,
            handed_over: false,
        })
    }

    /// Whether the one at the keyboard types to us.
    pub fn is_ours(&self) -> bool {
        tcgetpgrp(&self.tty).is_ok_and(|foreground| foreground == self.group)
    }

    pub fn is_handed_over(&self) -> bool {
        self.handed_over
    }

    /// To a job that talks to the person at the terminal: stdin and stdout both are one. In a pipeline the
    /// terminal stays with its other programs, and the job asks for it if it needs it.
    pub fn hand_over_to_talk(&mut self, group: Group) {
        if std::io::stdin().is_terminal() && is_stdout_a_terminal() {
            self.hand_over(group);
        }
    }

    /// Whether it is the job's now. It is ours to give only in the foreground.
    pub fn hand_over(&mut self, group: Group) -> bool {
        if !self.handed_over && self.is_ours() {
            self.modes = tcgetattr(&self.tty).ok();
            self.handed_over = tcsetpgrp(&self.tty, group.leader()).is_ok();
        }
        self.handed_over
    }

    pub fn take_back(&mut self) {
        if self.handed_over {
            self.handed_over = false;
            without_being_stopped(|| tcsetpgrp(&self.tty, self.group));
        }
    }

    /// After a job that could not tidy up, since it was killed.
    pub fn tidy_up(&self) {
        if let Some(modes) = self.modes.as_ref().filter(|_| self.is_ours()) {
            // What is left as it is, is left to the shell, which knows better.
            let _ = tcsetattr(&self.tty, OptionalActions::Drain, modes);
        }
    }
}

fn is_stdout_a_terminal() -> bool {
    crate::terminal::stdout_is_a_terminal()
}

/// Whoever sets the foreground group from the background is sent SIGTTOU, which stops it, unless that is
/// blocked. Blocked for the call alone: a child would inherit it.
fn without_being_stopped(set: impl FnOnce() -> rustix::io::Result<()>) {
    let mut set_of_one = SigSet::empty();
    set_of_one.add(Blockable::SIGTTOU);
    let Ok(before) = set_of_one.thread_swap_mask(SigmaskHow::SIG_BLOCK) else {
        return;
    };
    // Where it fails, the shell takes its terminal back itself.
    let _ = set();
    let _ = before.thread_set_mask();
}
