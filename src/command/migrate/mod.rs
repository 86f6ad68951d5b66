//! `lockaudit migrate`: one file a step.

mod plan;

use anyhow::Result;

use crate::cli::{MigrateArgs, MigrateCommand};
use crate::exit::Exit;

pub(super) fn run(args: &MigrateArgs) -> Result<Exit> {
    match &args.command {
        MigrateCommand::Plan(args) => plan::run(args),
    }
}
