//! The screen for an operator: the verdict, the findings with their next step, then waits, locks, pools.

pub mod budget;
pub mod budget_fit;
pub mod cutover;
mod findings;
mod grid;
pub mod keys;
pub mod leases;
mod locks;
pub mod migrate;
mod poolers;
mod pools;
pub(super) mod prose;
mod waits;

use std::io::{self, Write};

use super::masthead;
use super::style::Style;
use crate::report::{Outcome, Report};
use crate::text::printable;
use prose::paragraph;

/// Writes the whole screen.
///
/// # Errors
/// What the writer says.
pub fn write(report: &Report<'_>, style: Style, out: &mut impl Write) -> io::Result<()> {
    verdict(report, style, out)?;
    blind_spots(report, style, out)?;
    findings::write(&report.findings, style, out)?;
    if let Outcome::Seen(picture) = &report.outcome {
        waits::write(picture, style, out)?;
        locks::write(picture, style, out)?;
        pools::write(picture, style, out)?;
    }
    poolers::write(report.poolers(), style, out)
}

fn verdict(report: &Report<'_>, style: Style, out: &mut impl Write) -> io::Result<()> {
    let label = masthead::label(report.summary.severity);
    let word = match report.summary.severity {
        Some(severity) => style.severity(severity, label),
        None => style.well(label),
    };
    paragraph(
        style,
        (&format!("{word}  "), label.len() + 2),
        &printable(&report.summary.verdict),
        out,
    )?;
    paragraph(style, ("", 0), &printable(&masthead::origin(report)), out)
}

fn blind_spots(report: &Report<'_>, style: Style, out: &mut impl Write) -> io::Result<()> {
    for text in masthead::not_seen(report) {
        paragraph(style, ("not seen: ", 10), &printable(&text), out)?;
    }
    Ok(())
}
