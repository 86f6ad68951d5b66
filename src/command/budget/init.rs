//! `lockaudit budget init`: a file to start from.

use anyhow::Result;

use super::output;
use crate::budget_file::TEMPLATE;
use crate::cli::BudgetInitArgs;
use crate::exit::Exit;
use crate::terminal;

pub(super) fn run(args: &BudgetInitArgs) -> Result<Exit> {
    let name = args.file.display().to_string();
    if name == "-" {
        output::write(None, |out| out.write_all(TEMPLATE.as_bytes()))?;
        return Ok(Exit::Clean);
    }
    let otherwise = "name another file, or `-` to have it on stdout";
    output::write_new(&args.file, TEMPLATE, otherwise)?;
    terminal::note(&format!(
        "{name} is written: now `lockaudit budget check {name}`"
    ));
    Ok(Exit::Clean)
}
