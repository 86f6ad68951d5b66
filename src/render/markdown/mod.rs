//! Markdown for an incident channel: the verdict, the findings with their next step, locks, pools.

pub(super) mod escape;

use std::io::{self, Write};

use super::column::{Align, Column};
use super::masthead::{label, not_seen, origin};
use super::repeats::is_said_already;
use super::{lock_rows, pool_rows, pooler_rows};
use crate::finding::Finding;
use crate::report::{Outcome, Report};
use crate::words;
use escape::{code_block, text};

/// A message that is longer than a screen or two is not read in a channel.
const FINDINGS_SHOWN: usize = 12;
const EVIDENCE_SHOWN: usize = 8;
const ROWS_SHOWN: usize = 20;

/// Writes the whole message.
///
/// # Errors
/// What the writer says.
pub fn write(report: &Report<'_>, out: &mut impl Write) -> io::Result<()> {
    let word = label(report.summary.severity);
    writeln!(out, "## {word}: {}\n", text(&report.summary.verdict))?;
    writeln!(out, "Seen at {}", text(&origin(report)))?;
    for sentence in not_seen(report) {
        writeln!(out, "\n> **Not seen:** {}", text(&sentence))?;
    }
    findings(&report.findings, out)?;
    if let Outcome::Seen(picture) = &report.outcome {
        let locks = lock_rows::all(picture);
        table("Advisory locks held", &lock_rows::columns(), &locks, out)?;
        let pools = pool_rows::concerned(picture);
        table("Connection pools", &pool_rows::columns(), &pools, out)?;
    }
    let poolers = pooler_rows::all(report.poolers());
    table("Poolers", &pooler_rows::columns(), &poolers, out)
}

fn findings(findings: &[Finding], out: &mut impl Write) -> io::Result<()> {
    for (at, finding) in findings.iter().take(FINDINGS_SHOWN).enumerate() {
        head(at + 1, finding, out)?;
        if !is_said_already(finding, &findings[..at]) {
            body(finding, out)?;
        }
    }
    more(findings.len(), FINDINGS_SHOWN, "more finding", out)
}

fn head(number: usize, finding: &Finding, out: &mut impl Write) -> io::Result<()> {
    let severity = label(Some(finding.severity));
    let certainty = finding.certainty.as_str();
    writeln!(
        out,
        "\n### {number}. {severity}: `{}` ({certainty})\n",
        finding.rule
    )?;
    writeln!(out, "**{}**", text(finding.title.trim()))
}

fn body(finding: &Finding, out: &mut impl Write) -> io::Result<()> {
    writeln!(out)?;
    for line in finding.evidence.iter().take(EVIDENCE_SHOWN) {
        writeln!(out, "- {}", text(line.trim()))?;
    }
    if let Some(left @ 1..) = finding.evidence.len().checked_sub(EVIDENCE_SHOWN) {
        writeln!(out, "- and {}", words::count(left, "more line"))?;
    }
    for advice in &finding.advice {
        writeln!(out, "\n**Next:** {}", text(advice.text.trim()))?;
        if let Some(sql) = &advice.sql {
            write!(out, "\n{}", code_block("sql", sql))?;
        }
    }
    Ok(())
}

fn table<T>(
    heading: &str,
    columns: &[Column<T>],
    rows: &[T],
    out: &mut impl Write,
) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n### {heading}\n")?;
    let headings: Vec<&str> = columns.iter().map(|column| column.heading).collect();
    writeln!(out, "| {} |", headings.join(" | "))?;
    let rules: Vec<&str> = columns.iter().map(|column| rule(column.align)).collect();
    writeln!(out, "| {} |", rules.join(" | "))?;
    for row in rows.iter().take(ROWS_SHOWN) {
        let cells: Vec<String> = columns
            .iter()
            .map(|column| text(&(column.cell)(row)))
            .collect();
        writeln!(out, "| {} |", cells.join(" | "))?;
    }
    more(rows.len(), ROWS_SHOWN, "more row", out)
}

fn rule(align: Align) -> &'static str {
    match align {
        Align::Left => "---",
        Align::Right => "--:",
    }
}

fn more(all: usize, shown: usize, what: &str, out: &mut impl Write) -> io::Result<()> {
    match all.checked_sub(shown) {
        Some(left @ 1..) => {
            let left = words::count(left, what);
            writeln!(out, "\nand {left} (`--format json` has all)")
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::planted::{crowd, hostile, incident, refused, report, written};
    use crate::snapshot::Snapshot;

    fn message(snapshot: Snapshot) -> String {
        let mut message = String::new();
        report(&[snapshot], |report| {
            message = written(|mut out| write(report, &mut out));
        });
        message
    }

    #[test]
    fn says_the_verdict_the_findings_and_the_tables() {
        insta::assert_snapshot!("incident", message(incident()));
    }

    #[test]
    fn a_refusal_says_what_to_do() {
        refused(|report| {
            insta::assert_snapshot!("refused", written(|mut out| write(report, &mut out)));
        });
    }

    /// The lines that are no statement. A block ends with the very fence that it began with.
    fn outside_code(message: &str) -> Vec<&str> {
        let mut fence = None;
        let mut outside = Vec::new();
        for line in message.lines() {
            match fence {
                None if line.starts_with("```") => fence = line.strip_suffix("sql"),
                None => outside.push(line),
                Some(open) if line == open => fence = None,
                Some(_) => (),
            }
        }
        assert_eq!(fence, None, "{message}");
        outside
    }

    #[test]
    fn hostile_text_opens_nothing() {
        let message = message(hostile());
        for line in outside_code(&message) {
            assert!(
                !line.contains("<script") && !line.contains("<img"),
                "{line}"
            );
            assert!(!line.replace("\\]", "").contains(']'), "{line}");
            assert!(!line.contains("@channel"), "{line}");
            assert!(!line.contains("http://"), "{line}");
            assert!(!line.contains(['\u{1b}', '\u{202e}']), "{line}");
            if line.starts_with("| ") {
                assert!([6, 7].contains(&line.matches(" | ").count()), "{line}");
            }
        }
    }

    #[test]
    fn a_crowd_is_cut_and_the_rest_counted() {
        let message = message(crowd(1_000));
        assert!(message.len() < 30_000, "{} bytes", message.len());
        assert!(message.contains("and 980 more rows"), "{message}");
    }
}
