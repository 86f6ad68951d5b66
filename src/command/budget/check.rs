//! `lockaudit budget check`: does it fit?

use std::io::{self, Write};

use anyhow::Result;

use super::planned::{self, Planned};
use super::{output, summary};
use crate::budget::{Assessment, Level};
use crate::cli::{BudgetCheckArgs, BudgetFormat};
use crate::exit::Exit;
use crate::render::budget::{Shown, github, junit, markdown, sarif};
use crate::render::style::Style;
use crate::render::{json, table};
use crate::toml_file::Mistakes;

pub(super) fn run(args: &BudgetCheckArgs) -> Result<Exit> {
    let planned = planned::read(&args.plan).or_else(|error| annotate(error, args))?;
    let assessment = planned.assess()?;
    let shown = shown(&planned, &assessment, args);
    super::write(&args.output, |style, out| {
        render(&shown, args.format, style, out)
    })?;
    summary::add(&shown)?;
    Ok(exit(&shown, args))
}

/// A file that can't be read has its mistakes marked in the pull request too.
fn annotate(error: anyhow::Error, args: &BudgetCheckArgs) -> Result<Planned> {
    if let (BudgetFormat::Github, Some(mistakes)) = (args.format, error.downcast_ref::<Mistakes>())
    {
        output::write(None, |mut out| github::mistakes(mistakes, &mut out))?;
    }
    Err(error)
}

fn shown<'a>(
    planned: &'a Planned,
    assessment: &'a Assessment,
    args: &BudgetCheckArgs,
) -> Shown<'a> {
    Shown {
        file: planned.file.as_deref(),
        assessment,
        fails_from: match args.strict {
            true => Level::Warning,
            false => Level::Error,
        },
    }
}

fn render(
    shown: &Shown<'_>,
    format: BudgetFormat,
    style: Style,
    mut out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        BudgetFormat::Text => table::budget::write(shown, style, &mut out),
        BudgetFormat::Json => json::budget::write(shown, &mut out),
        BudgetFormat::Github => github::write(shown, &mut out),
        BudgetFormat::Junit => junit::write(shown, &mut out),
        BudgetFormat::Sarif => sarif::write(shown, &mut out),
        BudgetFormat::Markdown => markdown::write(shown, &mut out),
    }
}

fn exit(shown: &Shown<'_>, args: &BudgetCheckArgs) -> Exit {
    let fails = shown
        .assessment
        .worst()
        .is_some_and(|worst| worst >= shown.fails_from);
    match fails && !args.exit_zero {
        true => Exit::Findings,
        false => Exit::Clean,
    }
}
