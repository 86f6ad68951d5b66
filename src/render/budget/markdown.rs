//! A table for a comment on a pull request, and for the summary of a GitHub step.

use std::io::{self, Write};

use super::Shown;
use crate::budget::Level;
use crate::budget::demand::Part;
use crate::budget::said;
use crate::render::markdown::escape::text;

/// # Errors
/// What the writer says.
pub fn write(shown: &Shown<'_>, out: &mut impl Write) -> io::Result<()> {
    let assessment = shown.assessment;
    writeln!(out, "### Connection budget: {}\n", word(assessment.worst()))?;
    writeln!(out, "{}\n", text(&said::verdict(assessment)))?;
    writeln!(out, "| who | instances | each | steady | deploy |")?;
    writeln!(out, "| --- | --- | ---: | ---: | ---: |")?;
    for part in &assessment.parts {
        row(part, out)?;
    }
    let total = assessment.total;
    writeln!(
        out,
        "| **all** | | | **{}** | **{}** |",
        total.steady, total.peak
    )?;
    for finding in &assessment.findings {
        let level = finding.level().as_str();
        let code = finding.code.as_str();
        let place = text(&shown.place(finding.place));
        writeln!(
            out,
            "\n- **{level} {code}** {place}: {}",
            text(&finding.message)
        )?;
        for detail in &finding.details {
            writeln!(out, "  - {}", text(detail))?;
        }
    }
    if !assessment.notes.is_empty() {
        writeln!(out)?;
    }
    for note in &assessment.notes {
        writeln!(out, "- note: {}", text(&note.text))?;
    }
    Ok(())
}

fn row(part: &Part, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "| {} | {} | {} | {} | {} |",
        text(&name(part)),
        text(&said::instances(part)),
        text(&part.how),
        counted(part, part.connections.steady),
        counted(part, part.connections.peak)
    )
}

fn name(part: &Part) -> String {
    match &part.via {
        Some(pooler) => format!("{} (through {pooler})", part.name),
        None => part.name.clone(),
    }
}

/// Clients of a pooler take no slot of the server.
fn counted(part: &Part, number: u64) -> String {
    match part.takes_slots() {
        true => number.to_string(),
        false => format!("({number})"),
    }
}

fn word(worst: Option<Level>) -> &'static str {
    match worst {
        None => "it fits",
        Some(Level::Warning) => "it fits, with warnings",
        Some(Level::Error) => "it fails",
    }
}
