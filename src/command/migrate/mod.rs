//! `lockaudit migrate`: one file a step.

mod apply;
mod fence;
mod finish;
mod led;
mod plan;
mod status;
mod step;

use anyhow::Result;

use crate::cli::{MigrateArgs, MigrateCommand};
use crate::cutover::Direction;
use crate::exit::Exit;

pub(super) fn run(args: &MigrateArgs) -> Result<Exit> {
    match &args.command {
        MigrateCommand::Plan(args) => plan::run(args),
        MigrateCommand::Apply(args) => apply::run(args),
        MigrateCommand::Status(args) => status::run(args),
        MigrateCommand::Fence(args) => fence::run(args),
        MigrateCommand::Advance(args) => step::run(Direction::Advance, &args.step),
        MigrateCommand::Rollback(args) => step::run(Direction::Rollback, &args.step),
        MigrateCommand::Finish(args) => finish::run(args),
    }
}
