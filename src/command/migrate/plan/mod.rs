//! `lockaudit migrate plan`: what was seen of each key, and what people say of it, made into a plan that
//! is shown, and put into a file.

mod code;
mod looking;
pub(super) mod written;

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::cli::{MigrateFormat, MigratePlanArgs};
use crate::command::{names_files, output};
use crate::exit::Exit;
use crate::migration::{Decision, Plan, Told, Words};
use crate::migration_file::{merged, read_former, read_map};
use crate::render::{json, table};
use crate::terminal;
use looking::Looked;
use written::Written;

pub(super) fn run(args: &MigratePlanArgs) -> Result<Exit> {
    check(args)?;
    let names = names_files::read(args.names.iter())?.names;
    let map = map(args)?;
    // A file that can't be read should be told of before ten minutes of looking.
    let _ = written(args)?;
    let Some(looked) = looking::look(args)? else {
        terminal::note("interrupted before anything was seen: nothing is planned or written");
        return Ok(Exit::Interrupted);
    };
    // Whoever reviews it may have changed it meanwhile.
    let written = written(args)?;
    let former = match &written {
        Some(Written::There(document)) => read_former(document)?,
        _ => Vec::new(),
    };
    let words = Words {
        names: &names,
        map: &map,
        former: &former,
    };
    let plan = Plan::of(&looked.gathering, words);
    if let Some(written) = &written {
        keep(written, &plan)?;
    }
    if let Some(language) = args.emit {
        let code = code::of(&plan, language, args)?;
        output::write(None, |out| out.write_all(code.as_bytes()))?;
        return Ok(Exit::Clean);
    }
    show(&plan, &looked, args)?;
    Ok(match plan.decided(Decision::Refuse).next() {
        Some(_) => Exit::Findings,
        None => Exit::Clean,
    })
}

fn check(args: &MigratePlanArgs) -> Result<()> {
    match args.output.as_deref().map(Path::to_str) {
        Some(Some("-")) => bail!("-o names the file that the plan is kept in, and `-` is none"),
        _ => Ok(()),
    }
}

fn map(args: &MigratePlanArgs) -> Result<Vec<Told>> {
    let mut all = Vec::new();
    for file in &args.map {
        all.extend(read_map(&written::read(file)?)?);
    }
    Ok(all)
}

/// The file that the plan goes into, if it is understood.
fn written(args: &MigratePlanArgs) -> Result<Option<Written>> {
    let Some(file) = &args.output else {
        return Ok(None);
    };
    let written = Written::at(file)?;
    if let Written::There(document) = &written {
        read_former(document)?;
    }
    Ok(Some(written))
}

fn keep(written: &Written, plan: &Plan) -> Result<()> {
    let before = written.text();
    let text = merged(before, plan)
        .with_context(|| format!("could not put the plan into {}", written.name()))?;
    if before == Some(text.as_str()) {
        terminal::note(&format!("{} is as it was", written.name()));
        return Ok(());
    }
    output::write(Some(written.path()), |out| out.write_all(text.as_bytes()))?;
    terminal::note(&format!("{} is written", written.name()));
    Ok(())
}

fn show(plan: &Plan, looked: &Looked, args: &MigratePlanArgs) -> Result<()> {
    let style = terminal::style(args.color);
    output::write(None, |mut out: &mut dyn Write| match args.format {
        MigrateFormat::Table => {
            table::migrate::plan((plan, &looked.sources), style, &mut out)?;
            match args.output {
                None if !plan.entries.is_empty() => {
                    writeln!(out, "\n`-o migration.toml` writes it down for review")
                }
                _ => Ok(()),
            }
        }
        MigrateFormat::Json => json::migrate::plan(plan, &looked.sources, &mut out),
    })
}
