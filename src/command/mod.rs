//! One file a subcommand: connect, collect, call the core, render. No command calls another.

mod audit;
mod budget;
mod budget_source;
mod destination;
mod explain;
mod generated;
mod input;
mod interrupt;
mod keys;
mod lab;
mod lease;
mod migrate;
mod names_files;
mod output;
mod release;
mod scan;

use anyhow::Result;

use crate::cli::{Cli, Command};
use crate::exit::Exit;

/// Runs the command that was typed.
///
/// # Errors
/// Whatever kept it from answering; the caller says it on stderr.
pub fn run(cli: Cli) -> Result<Exit> {
    match cli.command {
        Command::Scan(args) => scan::run(&args),
        Command::Keys(args) => keys::run(&args),
        Command::Release(args) => release::run(&args),
        Command::Budget(args) => budget::run(&args),
        Command::Lease(args) => lease::run(&args),
        Command::Migrate(args) => migrate::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Lab(args) => lab::run(&args),
        Command::Schema(args) => generated::schema(&args),
        Command::Completions(args) => generated::completions(&args),
        Command::Man(args) => generated::man(&args),
    }
}
