//! The screen before a session is ended: who it is, what it holds, whom that frees, what to beware of.

use std::io::{self, Write};

use super::style::Style;
use super::table::prose::{paragraph, statement};
use crate::finding::Severity;
use crate::release::Briefing;
use crate::text::printable;

/// Room for the labels.
const LABEL_WIDTH: usize = 10;

/// # Errors
/// What the writer says, here and below.
pub fn write(briefing: &Briefing, style: Style, mut out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", style.heading(&printable(&briefing.holder)))?;
    for fact in &briefing.facts {
        let label = format!("  {:LABEL_WIDTH$}  ", fact.label);
        labelled(style, &label, &fact.text, out)?;
    }
    for warning in &briefing.warnings {
        let label = format!("  {:LABEL_WIDTH$}  ", "beware");
        let coloured = style.severity(Severity::Warning, &label);
        let width = label.len();
        paragraph(style, (&coloured, width), &printable(warning), &mut out)?;
    }
    Ok(())
}

/// The same as comments of SQL before a statement, so that the whole can be given to psql.
pub fn write_with_statement(
    briefing: &Briefing,
    sql: &str,
    style: Style,
    mut out: &mut dyn Write,
) -> io::Result<()> {
    let mut text = Vec::new();
    write(briefing, style, &mut text)?;
    for line in String::from_utf8_lossy(&text).lines() {
        writeln!(out, "-- {line}")?;
    }
    statement(style, 0, sql, &mut out)
}

/// What came of it.
pub fn write_outcome(text: &str, style: Style, mut out: &mut dyn Write) -> io::Result<()> {
    paragraph(style, ("", 0), &printable(text), &mut out)
}

fn labelled(style: Style, label: &str, text: &str, mut out: &mut dyn Write) -> io::Result<()> {
    paragraph(style, (label, label.len()), &printable(text), &mut out)
}
