//! SARIF 2.1.0, for code scanning: all codes as rules, each finding at its line.

use std::io::{self, Write};

use serde::Serialize;

use super::Shown;
use crate::budget::{Code, Finding};

#[derive(Serialize)]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    results: Vec<Outcome>,
    /// Columns count characters here, not the bytes of any encoding.
    column_kind: &'static str,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
struct Driver {
    name: &'static str,
    version: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    short_description: Message,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    rule_id: &'static str,
    rule_index: usize,
    level: &'static str,
    message: Message,
    locations: Vec<Location>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    start_column: usize,
}

/// # Errors
/// What the writer says.
pub fn write(shown: &Shown<'_>, out: &mut impl Write) -> io::Result<()> {
    let findings = shown.assessment.findings.iter();
    let log = Log {
        schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool { driver: driver() },
            results: findings.map(|finding| outcome(shown, finding)).collect(),
            column_kind: "unicodeCodePoints",
        }],
    };
    crate::render::json::pretty(&log, out)
}

fn driver() -> Driver {
    Driver {
        name: "lockaudit",
        version: env!("CARGO_PKG_VERSION"),
        rules: Code::ALL.iter().map(|code| rule(*code)).collect(),
    }
}

fn rule(code: Code) -> Rule {
    Rule {
        id: code.as_str(),
        short_description: Message {
            text: code.title().to_owned(),
        },
        default_configuration: Configuration {
            level: code.level().as_str(),
        },
    }
}

fn outcome(shown: &Shown<'_>, finding: &Finding) -> Outcome {
    let text: Vec<&str> = std::iter::once(&finding.message)
        .chain(&finding.details)
        .map(String::as_str)
        .collect();
    Outcome {
        rule_id: finding.code.as_str(),
        rule_index: Code::ALL
            .iter()
            .position(|code| *code == finding.code)
            .unwrap_or_default(),
        level: finding.level().as_str(),
        message: Message {
            text: text.join("\n"),
        },
        locations: location(shown, finding).into_iter().collect(),
    }
}

fn location(shown: &Shown<'_>, finding: &Finding) -> Option<Location> {
    let place = finding.place?;
    Some(Location {
        physical_location: PhysicalLocation {
            artifact_location: ArtifactLocation {
                uri: uri(shown.file?),
            },
            region: Region {
                start_line: place.line,
                start_column: place.column,
            },
        },
    })
}

/// A path as a relative reference: what RFC 3986 does not allow there is escaped.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.strip_prefix("./").unwrap_or(path).bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_reference() {
        assert_eq!(uri("./deploy/budget.toml"), "deploy/budget.toml");
        assert_eq!(uri("a b/ü%.toml"), "a%20b/%C3%BC%25.toml");
    }
}
