//! `lockaudit budget init`: a file to start from.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};

use anyhow::{Context, Result};

use super::output;
use crate::budget_file::TEMPLATE;
use crate::cli::BudgetInitArgs;
use crate::exit::{Exit, Hint};

pub(super) fn run(args: &BudgetInitArgs) -> Result<Exit> {
    let name = args.file.display().to_string();
    if name == "-" {
        output::write(None, |out| out.write_all(TEMPLATE.as_bytes()))?;
        return Ok(Exit::Clean);
    }
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&args.file);
    let mut file = match file {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let hint = "name another file, or `-` to have it on stdout";
            return Err(Hint::error(hint).context(format!("{name} exists and is left alone")));
        }
        file => file.with_context(|| format!("could not write {name}"))?,
    };
    file.write_all(TEMPLATE.as_bytes())
        .with_context(|| format!("could not write {name}"))?;
    crate::terminal::note(&format!(
        "{name} is written: now `lockaudit budget check {name}`"
    ));
    Ok(Exit::Clean)
}
