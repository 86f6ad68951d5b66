//! `lockaudit completions`, `man`, `schema`: what is generated from the command line and the structs.

use std::io::Write;

use anyhow::{Context, Result};
use clap::CommandFactory;

use super::output;
use crate::cli::{Cli, CompletionsArgs, ManArgs, SchemaArgs, SchemaOf};
use crate::exit::Exit;
use crate::render::json;

pub(super) fn schema(args: &SchemaArgs) -> Result<Exit> {
    let schema = match args.command {
        SchemaOf::Scan => json::SCHEMA,
        SchemaOf::Keys => json::keys::SCHEMA,
        SchemaOf::Budget => json::budget::SCHEMA,
        SchemaOf::Lease => json::lease::SCHEMA,
        SchemaOf::Migrate => json::migrate::SCHEMA,
    };
    output::write(None, |out| out.write_all(schema.as_bytes()))?;
    Ok(Exit::Clean)
}

pub(super) fn completions(args: &CompletionsArgs) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "lockaudit", &mut script);
    output::write(None, |out| out.write_all(&script))?;
    Ok(Exit::Clean)
}

pub(super) fn man(args: &ManArgs) -> Result<Exit> {
    let page = page(&args.command)?;
    output::write(None, |out: &mut dyn Write| out.write_all(&page))?;
    Ok(Exit::Clean)
}

fn page(path: &[String]) -> Result<Vec<u8>> {
    let mut command = Cli::command().disable_help_flag(true);
    command.build();
    for step in path {
        command = command
            .find_subcommand(step)
            .with_context(|| format!("there is no command `{step}`"))?
            .clone();
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    Ok(page)
}
