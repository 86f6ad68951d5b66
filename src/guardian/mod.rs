//! The guardian: a process that stops a job when nobody else can.
//!
//! `lease run` stops its own job in time. It can't when it was killed, and not when it is stopped or hangs;
//! a parent-death signal reaches the child, and no grandchild. So a second process, in a session of its own
//! and without any connection, is told each confirmed deadline over a socket. It ends the job's whole process
//! group when the socket closes, and when a stop passes without news.
//!
//! It is lockaudit again, known by the name it is called by (`argv[0]`), not by a subcommand or a variable:
//! so it is nothing that can be typed, completed or inherited, and `ps` says what it is.

#[cfg(test)]
mod exhaustive;
mod news;
mod post;
mod process;
mod watch;

use crate::exit::Exit;

pub use post::{Guardian, Heard};
pub use process::CALLED;

/// Runs the guardian, if that is what this process was called.
pub fn run_if_called(name: &str) -> Option<Exit> {
    (name == CALLED).then(process::run)
}
