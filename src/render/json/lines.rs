//! One JSON object a line, for tools that read streams: the objects of the document, each with its
//! `type`. The first line is the summary, with all that the document says once.

use std::io::{self, Write};

use serde::Serialize;

use super::escape::Compact;
use super::server::{ServerObject, VisibilityObject};
use super::{Document, SCHEMA_VERSION, SourceObject, SummaryObject, document};
use crate::report::Report;

#[derive(Serialize)]
struct Line<'a, T> {
    #[serde(rename = "type")]
    kind: &'static str,
    schema_version: u32,
    captured_at: Option<&'a str>,
    #[serde(flatten)]
    object: T,
}

#[derive(Serialize)]
struct SummaryLine {
    #[serde(flatten)]
    summary: SummaryObject,
    source: SourceObject,
    server: Option<ServerObject>,
    visibility: Option<VisibilityObject>,
}

/// Writes the summary, then what was not seen, the findings, and what they rest on.
///
/// # Errors
/// What the writer says.
pub fn write(report: &Report<'_>, out: &mut impl Write) -> io::Result<()> {
    let Document {
        schema_version: _,
        captured_at,
        source,
        server,
        visibility,
        blind_spots,
        summary,
        findings,
        locks,
        sessions,
        waits,
        pools,
        poolers,
    } = document(report);
    let summary = SummaryLine {
        summary,
        source,
        server,
        visibility,
    };
    let mut lines = Lines {
        captured_at: captured_at.as_deref(),
        out,
    };
    lines.write("summary", [summary])?;
    lines.write("blind_spot", blind_spots)?;
    lines.write("finding", findings)?;
    lines.write("lock", locks.into_iter().flatten())?;
    lines.write("wait", waits.into_iter().flatten())?;
    lines.write("pool", pools.into_iter().flatten())?;
    lines.write("pooler", poolers)?;
    lines.write("session", sessions.into_iter().flatten())
}

struct Lines<'a, W> {
    captured_at: Option<&'a str>,
    out: &'a mut W,
}

impl<W: Write> Lines<'_, W> {
    fn write<T: Serialize>(
        &mut self,
        kind: &'static str,
        objects: impl IntoIterator<Item = T>,
    ) -> io::Result<()> {
        for object in objects {
            let line = Line {
                kind,
                schema_version: SCHEMA_VERSION,
                captured_at: self.captured_at,
                object,
            };
            let mut serializer = serde_json::Serializer::with_formatter(&mut *self.out, Compact);
            line.serialize(&mut serializer)?;
            writeln!(self.out)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::{Plant, quiet};
    use crate::render::planted::{refused, report};
    use crate::snapshot::SessionState::{Active, Idle};
    use serde_json::Value;

    fn lines(report: &Report<'_>) -> Vec<Value> {
        let mut out = Vec::new();
        write(report, &mut out).expect("a vector takes it");
        let text = String::from_utf8(out).expect("JSON is UTF-8");
        assert!(text.ends_with('\n'));
        text.lines()
            .map(|line| serde_json::from_str(line).expect("a line is a document"))
            .collect()
    }

    #[test]
    fn each_object_of_the_document_is_a_line_with_its_type() {
        let samples = [quiet()
            .session(10, Idle)
            .holds(10, 7)
            .session(11, Active)
            .waits(11, 7, 30)];
        report(&samples, |report| {
            let lines = lines(report);
            let document = serde_json::to_value(document(report)).expect("it is JSON");
            let of_type = |name: &str| -> Vec<&Value> {
                lines.iter().filter(|line| line["type"] == name).collect()
            };
            for (name, table) in [
                ("finding", "findings"),
                ("lock", "locks"),
                ("wait", "waits"),
                ("pool", "pools"),
                ("pooler", "poolers"),
                ("session", "sessions"),
            ] {
                let rows = document[table].as_array().expect("it was seen");
                assert_eq!(of_type(name).len(), rows.len(), "{name}");
                for (line, row) in of_type(name).iter().zip(rows) {
                    for (field, value) in row.as_object().expect("a row is an object") {
                        assert_eq!(line[field], *value, "{name}.{field}");
                    }
                }
            }
            assert_eq!(lines[0]["type"], "summary");
            assert_eq!(lines[0]["verdict"], document["summary"]["verdict"]);
            assert_eq!(lines[0]["server"], document["server"]);
            for line in &lines {
                assert_eq!(line["schema_version"], 1);
                assert_eq!(line["captured_at"], "2027-01-15T08:00:00.000000Z");
            }
        });
    }

    #[test]
    fn a_hostile_text_stays_on_its_line_and_reads_back() {
        let hostile = "a\n{\"type\":\"summary\"}\u{9b}2J";
        let samples = [quiet().session(10, Idle).named(10, hostile).holds(10, 7)];
        report(&samples, |report| {
            let lines = lines(report);
            let summaries = lines.iter().filter(|line| line["type"] == "summary");
            assert_eq!(summaries.count(), 1);
            let session = lines.last().expect("there is a session");
            assert_eq!(session["application_name"], hostile);
        });
    }

    #[test]
    fn a_refusal_has_a_summary_a_blind_spot_and_a_finding() {
        refused(|report| {
            let lines = lines(report);
            let types: Vec<&Value> = lines.iter().map(|line| &line["type"]).collect();
            assert_eq!(types, ["summary", "blind_spot", "finding"]);
            assert_eq!(lines[0]["locks"], Value::Null);
        });
    }
}
