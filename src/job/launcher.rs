//! What a job's first process is until it is the job's command: lockaudit again, which stops itself until
//! everything is ready, and then turns into the command.
//!
//! So no moment is left in which the command runs unguarded: the guardian knows the group, and the terminal
//! is the group's, before the command begins. If `lockaudit` dies meanwhile, the kernel ends the launcher,
//! and later the command itself: a parent-death signal outlives `exec`, though not `fork`.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Pid, Signal, getpid, getppid, kill_process};

use crate::exit::Exit;
use crate::terminal;

/// What a launcher is called. Its arguments: the pid of its parent, and the command.
pub const CALLED: &str = "lockaudit-lease-launcher";

pub(super) fn run() -> Exit {
    let mut arguments = std::env::args_os().skip(1);
    let parent = arguments.next().as_ref().and_then(pid);
    match (parent, arguments.next()) {
        (Some(parent), Some(program)) => launch(parent, &program, arguments),
        _ => Exit::OwnFailure,
    }
}

fn pid(text: &OsString) -> Option<Pid> {
    Pid::from_raw(text.to_str()?.parse().ok()?)
}

fn launch(parent: Pid, program: &OsString, arguments: impl Iterator<Item = OsString>) -> Exit {
    match wait_for_the_word(parent) {
        Ok(true) => {}
        Ok(false) => return Exit::OwnFailure,
        Err(error) => {
            terminal::note(&format!("the job could not be launched: {error}"));
            return Exit::OwnFailure;
        }
    }
    let error = Command::new(program).args(arguments).exec();
    let program = program.to_string_lossy();
    terminal::complain(&format!("could not execute `{program}`: {error}"));
    match error.kind() {
        io::ErrorKind::NotFound => Exit::CommandNotFound,
        _ => Exit::CommandNotExecutable,
    }
}

/// Whether the word came from a parent that lives: a stopped group whose last tie to its session goes is
/// continued by the kernel.
fn wait_for_the_word(parent: Pid) -> io::Result<bool> {
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    if getppid() != Some(parent) {
        return Ok(false);
    }
    kill_process(getpid(), Signal::STOP)?;
    Ok(getppid() == Some(parent))
}
