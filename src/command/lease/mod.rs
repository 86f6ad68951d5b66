//! `lockaudit lease`: leases from the shell, one statement a run.

mod change;
mod init;
mod look;
mod run;
mod session;

use anyhow::Result;

use crate::cli::{LeaseArgs, LeaseCommand};
use crate::exit::Exit;

pub(super) fn run(args: &LeaseArgs) -> Result<Exit> {
    match &args.command {
        LeaseCommand::Init(args) => init::run(args),
        LeaseCommand::Run(args) => Ok(run::run(args)),
        LeaseCommand::Take(args) => change::take(args),
        LeaseCommand::Renew(args) => change::renew(args),
        LeaseCommand::Release(args) => change::release(args),
        LeaseCommand::List(args) => look::list(args),
        LeaseCommand::Check(args) => look::check(args),
        LeaseCommand::Break(args) => change::break_it(args),
        LeaseCommand::History(args) => look::history(args),
        LeaseCommand::Prune(args) => change::prune(args),
    }
}
