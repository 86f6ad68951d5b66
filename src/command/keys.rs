//! `lockaudit keys`: whose key is this, which key would that name give, who is known.

use std::io::Write;

use anyhow::{Result, bail};

use super::{names_files, output};
use crate::cli::{DeriveKeyArgs, ExplainKeyArgs, KeysArgs, KeysCommand, KeysFormat, ListToolsArgs};
use crate::exit::Exit;
use crate::key::derived::{self, Question};
use crate::key::known::{Tool, registry};
use crate::key::naming::{Candidate, Namer, NamingContext, Ranges};
use crate::key::spelled::{self, Asked, Explained};
use crate::render::{json, table};
use crate::terminal;

pub(super) fn run(args: &KeysArgs) -> Result<Exit> {
    match &args.command {
        KeysCommand::Explain(args) => explain(args),
        KeysCommand::Derive(args) => derive(args),
        KeysCommand::List(args) => list(args),
    }
}

fn explain(args: &ExplainKeyArgs) -> Result<Exit> {
    let asked = spelled::read(&args.key)?;
    let told = names_files::read(args.names.iter())?;
    let context = NamingContext {
        databases: args.database.clone(),
        schemas: args.schema.clone(),
        words: args.name.clone(),
        ranges: Ranges::Told,
    };
    let namer = Namer::new(context, &told.names);
    let explained: Vec<Explained> = asked
        .into_iter()
        .map(|asked| Explained {
            asked,
            known: who_takes(&namer, asked, &args.database),
        })
        .collect();
    let style = terminal::style(args.output.color);
    output::write(None, |mut out: &mut dyn Write| match args.output.format {
        KeysFormat::Table => table::keys::explained(&explained, style, &mut out),
        KeysFormat::Json => json::keys::explained(&explained, &mut out),
    })?;
    Ok(Exit::Clean)
}

/// Whoever may have taken it in one of the databases that were named.
fn who_takes(namer: &Namer<'_>, asked: Asked, databases: &[String]) -> Vec<Candidate> {
    match databases {
        [] => namer.who_takes(asked.tag, None),
        several => namer.who_takes_in_any(asked.tag, several),
    }
}

fn derive(args: &DeriveKeyArgs) -> Result<Exit> {
    let question = Question {
        name: args.name.clone(),
        database: args.database.clone(),
        seed: args.seed,
        namespace: args.namespace,
    };
    let (by_scheme, by_tool) = (derived::by_scheme(&question), derived::by_tool(&question));
    let style = terminal::style(args.output.color);
    output::write(None, |mut out: &mut dyn Write| match args.output.format {
        KeysFormat::Table => {
            table::keys::derived(&question, (&by_scheme, &by_tool), style, &mut out)
        }
        KeysFormat::Json => json::keys::derived(&question, (&by_scheme, &by_tool), &mut out),
    })?;
    Ok(Exit::Clean)
}

fn list(args: &ListToolsArgs) -> Result<Exit> {
    let tools: Vec<&Tool> = match &args.tool {
        None => registry().tools.iter().collect(),
        Some(name) => called(name)?,
    };
    let style = terminal::style(args.output.color);
    output::write(None, |mut out: &mut dyn Write| {
        match (args.output.format, &args.tool) {
            (KeysFormat::Json, _) => json::keys::listed(&tools, &mut out),
            (KeysFormat::Table, None) => table::keys::listed(&tools, style, &mut out),
            (KeysFormat::Table, Some(_)) => table::keys::in_full(&tools, style, &mut out),
        }
    })?;
    Ok(Exit::Clean)
}

fn called(name: &str) -> Result<Vec<&'static Tool>> {
    let tools = registry().tools_called(name);
    if tools.is_empty() {
        match registry().near(name).as_slice() {
            [] => bail!("no tool is called `{name}`: `lockaudit keys list` has all"),
            near => bail!("no tool is called `{name}`; near it: {}", near.join(", ")),
        }
    }
    Ok(tools)
}
