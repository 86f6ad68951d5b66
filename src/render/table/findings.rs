//! The findings, worst first, each with its evidence and the next step.

use std::io::{self, Write};

use super::prose::{paragraph, statement};
use crate::finding::Finding;
use crate::render::masthead::label;
use crate::render::repeats::is_said_already;
use crate::render::style::Style;
use crate::text::printable;
use crate::words;

/// More than this nobody reads at night; JSON has all.
const SHOWN: usize = 12;

/// A hundred holders make a hundred lines of evidence.
const EVIDENCE_SHOWN: usize = 8;

pub(super) fn write(findings: &[Finding], style: Style, out: &mut impl Write) -> io::Result<()> {
    for (at, finding) in findings.iter().take(SHOWN).enumerate() {
        writeln!(out)?;
        head(at + 1, finding, style, out)?;
        if !is_said_already(finding, &findings[..at]) {
            body(finding, style, out)?;
        }
    }
    if let Some(more @ 1..) = findings.len().checked_sub(SHOWN) {
        writeln!(out)?;
        let text = format!(
            "and {}, none of them worse (`--format json` has all)",
            words::count(more, "more finding")
        );
        paragraph(style, ("", 0), &text, out)?;
    }
    Ok(())
}

fn head(number: usize, finding: &Finding, style: Style, out: &mut impl Write) -> io::Result<()> {
    let severity = style.severity(finding.severity, label(Some(finding.severity)));
    let certainty = finding.certainty.as_str();
    writeln!(out, "{number}. {severity} {}, {certainty}", finding.rule)?;
    paragraph(style, ("   ", 3), &printable(&finding.title), out)
}

fn body(finding: &Finding, style: Style, out: &mut impl Write) -> io::Result<()> {
    for line in finding.evidence.iter().take(EVIDENCE_SHOWN) {
        paragraph(style, ("   - ", 5), &printable(line), out)?;
    }
    if let Some(more @ 1..) = finding.evidence.len().checked_sub(EVIDENCE_SHOWN) {
        writeln!(out, "   - and {}", words::count(more, "more line"))?;
    }
    for advice in &finding.advice {
        paragraph(style, ("   > ", 5), &printable(&advice.text), out)?;
        if let Some(sql) = &advice.sql {
            statement(style, 5, sql, out)?;
        }
    }
    Ok(())
}
