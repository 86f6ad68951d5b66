//! A card for each finding, worst first: what it is, what it rests on, what to do.

use std::io::{self, Write};

use super::escape::{code, text};
use crate::finding::Finding;
use crate::render::masthead::label;
use crate::words;

/// Nobody reads on after so many.
const SHOWN: usize = 25;
const EVIDENCE_SHOWN: usize = 20;

pub(super) fn write(findings: &[Finding], out: &mut impl Write) -> io::Result<()> {
    if findings.is_empty() {
        return Ok(());
    }
    writeln!(out, "<h2>Findings</h2>")?;
    for finding in findings.iter().take(SHOWN) {
        card(finding, out)?;
    }
    if let Some(more @ 1..) = findings.len().checked_sub(SHOWN) {
        let more = words::count(more, "more finding");
        writeln!(out, "<p class=\"muted\">and {more}, none of them worse</p>")?;
    }
    Ok(())
}

fn card(finding: &Finding, out: &mut impl Write) -> io::Result<()> {
    let word = label(Some(finding.severity));
    writeln!(
        out,
        "<article class=\"finding {}\">\n<header><span class=\"badge\">{word}</span> \
         <code>{}</code> <span>{}</span></header>\n<h3>{}</h3>",
        finding.severity.as_str(),
        finding.rule,
        finding.certainty.as_str(),
        text(&finding.title)
    )?;
    evidence(finding, out)?;
    for advice in &finding.advice {
        writeln!(
            out,
            "<div class=\"next\"><b>Next:</b> {}",
            text(&advice.text)
        )?;
        if let Some(sql) = &advice.sql {
            writeln!(out, "<pre><code>{}</code></pre>", code(sql))?;
        }
        writeln!(out, "</div>")?;
    }
    writeln!(out, "</article>")
}

fn evidence(finding: &Finding, out: &mut impl Write) -> io::Result<()> {
    if finding.evidence.is_empty() {
        return Ok(());
    }
    writeln!(out, "<ul>")?;
    for line in finding.evidence.iter().take(EVIDENCE_SHOWN) {
        writeln!(out, "<li>{}</li>", text(line))?;
    }
    if let Some(more @ 1..) = finding.evidence.len().checked_sub(EVIDENCE_SHOWN) {
        writeln!(out, "<li>and {}</li>", words::count(more, "more line"))?;
    }
    writeln!(out, "</ul>")
}
