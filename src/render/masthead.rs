//! What every screen for people says first: how bad it is, of which server, when.

use std::time::SystemTime;

use crate::finding::Severity;
use crate::report::{Outcome, Report};
use crate::snapshot::{BlindSpot, ConnectionPath, Server, Source};
use crate::text::YEAR_10000;

/// `CRITICAL`; `OK` where nothing was found.
pub(super) fn label(severity: Option<Severity>) -> &'static str {
    match severity {
        None => "OK",
        Some(Severity::Info) => "INFO",
        Some(Severity::Warning) => "WARNING",
        Some(Severity::Critical) => "CRITICAL",
    }
}

/// `db1:5432, database orders, as auditor; PostgreSQL 15.18, primary; 2026-11-30T03:12:44Z`
pub(super) fn origin(report: &Report<'_>) -> String {
    let source = report.source;
    let seen = match &report.outcome {
        Outcome::Seen(picture) => {
            let snapshot = picture.snapshot;
            format!(
                "{}; {}",
                server(&snapshot.server),
                moment(snapshot.captured_at)
            )
        }
        Outcome::Refused { at, .. } => format!("{} by this machine's clock", moment(*at)),
    };
    format!("{}; {seen}", place(source))
}

/// `from incident.json: db1:5432, database orders, as auditor`
pub(super) fn place(source: &Source) -> String {
    let file = source
        .file
        .as_ref()
        .map_or(String::new(), |file| format!("from {file}: "));
    format!(
        "{file}{}, database {}, as {}",
        source.host, source.dbname, source.user
    )
}

/// What was not seen, each with what would make it visible.
pub(super) fn not_seen(report: &Report<'_>) -> Vec<String> {
    let spots = report.blind_spots();
    spots.iter().map(blind_spot).collect()
}

/// The sentence, and what would make it visible.
pub(super) fn blind_spot(spot: &BlindSpot) -> String {
    match spot.remedy() {
        Some(remedy) => format!("{} ({remedy})", spot.sentence()),
        None => spot.sentence(),
    }
}

fn server(server: &Server) -> String {
    let role = if server.in_recovery {
        "standby"
    } else {
        "primary"
    };
    let through = match server.path {
        ConnectionPath::PoolerOrNat => ", through a pooler or address translation",
        ConnectionPath::Pooler(_) => ", through a pooler",
        ConnectionPath::Direct | ConnectionPath::Unknown => "",
    };
    format!("PostgreSQL {}, {role}{through}", server.version)
}

/// A server may hold any time, `infinity` too, and RFC 3339 has four digits for a year.
pub(super) fn moment(time: SystemTime) -> String {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) if since < YEAR_10000 => humantime::format_rfc3339_seconds(time).to_string(),
        Ok(_) => "after the year 9999".to_owned(),
        Err(_) => "before 1970".to_owned(),
    }
}
