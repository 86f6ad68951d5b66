//! The screen for an operator: the verdict, the findings with their next step, then waits, locks, pools.

mod findings;
mod grid;
mod locks;
mod pools;
pub(super) mod prose;
mod waits;

use std::io::{self, Write};
use std::time::SystemTime;

use super::style::Style;
use crate::finding::Severity;
use crate::report::{Outcome, Report};
use crate::snapshot::{ConnectionPath, Server};
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
    Ok(())
}

fn verdict(report: &Report<'_>, style: Style, out: &mut impl Write) -> io::Result<()> {
    let word = match report.summary.severity {
        Some(severity) => style.severity(severity, label(severity)),
        None => style.well("OK"),
    };
    let plain_width = report
        .summary
        .severity
        .map_or(2, |severity| label(severity).len());
    paragraph(
        style,
        (&format!("{word}  "), plain_width + 2),
        &printable(&report.summary.verdict),
        out,
    )?;
    paragraph(style, ("", 0), &printable(&origin(report)), out)
}

/// `db1:5432, database orders, as auditor; PostgreSQL 15.18, primary; 2026-11-30T03:12:44Z`
fn origin(report: &Report<'_>) -> String {
    let source = report.source;
    let seen = match &report.outcome {
        Outcome::Seen(picture) => {
            let snapshot = picture.snapshot;
            format!(
                "{}; {}",
                server(&snapshot.server),
                time(snapshot.captured_at)
            )
        }
        Outcome::Refused { at, .. } => format!("{} by this machine's clock", time(*at)),
    };
    let file = source
        .file
        .as_ref()
        .map_or(String::new(), |file| format!("from {file}: "));
    format!(
        "{file}{}, database {}, as {}; {seen}",
        source.host, source.dbname, source.user
    )
}

fn server(server: &Server) -> String {
    let role = if server.in_recovery {
        "standby"
    } else {
        "primary"
    };
    let through = match server.path {
        ConnectionPath::PoolerOrNat => ", through a pooler or address translation",
        _ => "",
    };
    format!("PostgreSQL {}, {role}{through}", server.version)
}

fn time(time: SystemTime) -> String {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(_) => humantime::format_rfc3339_seconds(time).to_string(),
        Err(_) => "before 1970".to_owned(),
    }
}

fn blind_spots(report: &Report<'_>, style: Style, out: &mut impl Write) -> io::Result<()> {
    for spot in report.blind_spots() {
        let remedy = spot
            .remedy()
            .map_or(String::new(), |remedy| format!(" ({remedy})"));
        let text = format!("{}{remedy}", spot.sentence());
        paragraph(style, ("not seen: ", 10), &printable(&text), out)?;
    }
    Ok(())
}

fn label(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "INFO",
        Severity::Warning => "WARNING",
        Severity::Critical => "CRITICAL",
    }
}
