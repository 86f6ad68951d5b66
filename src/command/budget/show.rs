//! `lockaudit budget show`: the budget as bars.

use anyhow::Result;

use super::planned;
use crate::budget::Level;
use crate::cli::{BudgetShowArgs, DrawingFormat};
use crate::exit::Exit;
use crate::render::budget::{Shown, drawing, html, svg};

pub(super) fn run(args: &BudgetShowArgs) -> Result<Exit> {
    let planned = planned::read(&args.plan)?;
    let assessment = planned.assess()?;
    let shown = Shown {
        file: planned.file.as_deref(),
        assessment: &assessment,
        fails_from: Level::Error,
    };
    super::write(&args.output, |style, mut out| match args.format {
        DrawingFormat::Text => drawing::write(&shown, style, &mut out),
        DrawingFormat::Svg => svg::write(&shown, &mut out),
        DrawingFormat::Html => html::write(&shown, &mut out),
    })?;
    Ok(Exit::Clean)
}
