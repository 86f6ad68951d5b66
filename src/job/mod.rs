//! A job: a command in a process group of its own, which gets the terminal, stdin and signals as it would
//! without us.

mod children;
mod group;
mod launcher;
mod order;
mod signals;
mod suspension;
mod terminal;

use crate::exit::Exit;

pub use children::{Change, Children};
pub use group::Group;
pub use launcher::CALLED;
pub use order::{Job, Order, own_executable};
pub use signals::Signals;
pub use suspension::{Suspension, resume};
pub use terminal::Terminal;

/// Runs the launcher, if that is what this process was called. It comes back only if there is no command to
/// turn into.
pub fn launch_if_called(name: &str) -> Option<Exit> {
    (name == CALLED).then(launcher::run)
}
