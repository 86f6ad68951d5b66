//! `lockaudit budget`: the plan from a file or from the command line, judged, drawn, or turned round.

mod check;
mod fit;
mod import;
mod init;
mod planned;
mod show;
mod summary;

use std::io::{self, Write};

use anyhow::Result;

use super::output;
use crate::cli::{BudgetArgs, BudgetCommand, BudgetOutputArgs};
use crate::exit::Exit;
use crate::render::style::Style;
use crate::terminal;

pub(super) fn run(args: &BudgetArgs) -> Result<Exit> {
    match &args.command {
        BudgetCommand::Check(args) => check::run(args),
        BudgetCommand::Show(args) => show::run(args),
        BudgetCommand::Fit(args) => fit::run(args),
        BudgetCommand::Init(args) => init::run(args),
        BudgetCommand::Import(args) => import::run(args),
    }
}

/// Writes to where the answer goes, in the style of that place.
fn write(
    args: &BudgetOutputArgs,
    render: impl FnOnce(Style, &mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    let style = match args.output {
        None => terminal::style(args.color),
        Some(_) => terminal::style_for_files(args.color),
    };
    output::write(args.output.as_deref(), |out| render(style, out))
}
