//! The library behind the `lockaudit` command: collect or load a snapshot, judge it, show it.

mod boot_clock;
pub mod budget;
pub mod budget_file;
pub mod budget_import;
mod certainty;
pub mod cli;
mod command;
pub mod cutover;
pub mod describe;
mod entrance;
pub mod exit;
pub mod expected;
pub mod finding;
pub mod fleet;
mod guardian;
pub mod hint;
pub mod history;
pub mod hold;
mod job;
pub mod keeper;
pub mod key;
pub mod lab;
pub mod lease;
pub mod manifest;
pub mod migration;
pub mod migration_file;
pub mod names_file;
pub mod pg;
pub mod picture;
pub mod place;
#[cfg(test)]
mod planted;
pub mod pool;
pub mod pooler;
pub mod release;
pub mod render;
pub mod report;
pub mod saved;
pub mod snapshot;
pub mod snippet;
mod terminal;
pub mod text;
pub mod throwaway;
pub mod toml_file;
pub mod try_lock;
pub mod waits;
pub mod whose;
pub mod words;

use exit::Exit;

/// Runs the command line of this process and says how it ended.
pub fn run() -> Exit {
    let called = std::env::args_os().next().unwrap_or_default();
    let called = called.to_string_lossy();
    let other_role = guardian::run_if_called(&called).or_else(|| job::launch_if_called(&called));
    other_role.unwrap_or_else(run_command_line)
}

fn run_command_line() -> Exit {
    let cli = match cli::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(refusal) => return exit::refused(&refusal, cli::runs_a_command(std::env::args_os())),
    };
    match command::run(cli) {
        Ok(exit) => exit,
        Err(error) if exit::is_closed_pipe(&error) => Exit::Clean,
        Err(error) => {
            exit::explain(&error, &mut terminal::stderr());
            Exit::Unanswered
        }
    }
}
