//! The wait graph for Mermaid, which code hosts draw within Markdown: an arrow leads from who waits to
//! who is ahead.

use std::io::{self, Write};

use super::graph::{Graph, Kind, Limits, Node, Strength};
use super::masthead::{label, not_seen, origin};
use crate::report::{Outcome, Report};
use crate::text::printable;
use crate::words;

/// Mermaid refuses a text of more than 50,000 characters or 500 edges.
const LIMITS: Limits = Limits {
    nodes: 100,
    queue: 10,
    lone: 12,
};

const EDGES_DRAWN: usize = 350;

const CLASSES: &str = "
  classDef waiter fill:#ffffff,stroke:#8a8f98,color:#1b1f24
  classDef holder fill:#ffffff,stroke:#1b1f24,color:#1b1f24,stroke-width:2px
  classDef idle fill:#ffe3b3,stroke:#9a5b00,color:#1b1f24,stroke-width:2px
  classDef prepared fill:#ffd0d0,stroke:#a4262c,color:#1b1f24,stroke-width:2px
  classDef note fill:transparent,stroke:transparent
";

/// Writes one flowchart.
///
/// # Errors
/// What the writer says.
pub fn write(report: &Report<'_>, out: &mut impl Write) -> io::Result<()> {
    let word = label(report.summary.severity);
    writeln!(out, "flowchart RL")?;
    let verdict = format!("{word}: {}", report.summary.verdict);
    comment(&verdict, out)?;
    comment(&origin(report), out)?;
    for text in not_seen(report) {
        comment(&format!("not seen: {text}"), out)?;
    }
    match &report.outcome {
        Outcome::Seen(picture) => draw(&Graph::of_holders_too(picture, LIMITS), out)?,
        Outcome::Refused { .. } => note("nothing", &verdict, out)?,
    }
    write!(out, "{CLASSES}")
}

/// A comment ends with its line, and a brace in it could begin a directive.
fn comment(text: &str, out: &mut impl Write) -> io::Result<()> {
    let text = printable(text).replace(['{', '}'], "_");
    writeln!(out, "  %% {text}")
}

fn note(id: &str, text: &str, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "  {id}[{}]:::note", quoted([text]))
}

fn draw(graph: &Graph, out: &mut impl Write) -> io::Result<()> {
    if graph.nodes.is_empty() {
        return note("nothing", "no advisory lock is held or waited for", out);
    }
    for (at, node) in graph.nodes.iter().enumerate() {
        writeln!(out, "  n{at}{}", shape(node))?;
        if node.more > 0 {
            note(&format!("m{at}"), &format!("and {} more", node.more), out)?;
            writeln!(out, "  m{at} -.- n{at}")?;
        }
    }
    for edge in graph.edges.iter().take(EDGES_DRAWN) {
        let arrow = match edge.strength {
            Strength::Hard => "-->",
            Strength::Soft => "-.->",
        };
        let text = quoted([&edge.target[..]]);
        writeln!(out, "  n{} {arrow}|{text}| n{}", edge.waiter, edge.ahead)?;
    }
    let edges = graph.edges.len().saturating_sub(EDGES_DRAWN);
    left_out("more node", graph.left_out, out)?;
    left_out("more edge", edges, out)
}

fn left_out(noun: &str, number: usize, out: &mut impl Write) -> io::Result<()> {
    if number == 0 {
        return Ok(());
    }
    let id = noun.replace(' ', "_");
    let text = format!("{} not drawn", words::count(number, noun));
    note(&id, &text, out)
}

fn shape(node: &Node) -> String {
    let text = quoted(node.about());
    match node.kind {
        Kind::Waiter => format!("({text}):::waiter"),
        Kind::Holder => format!("[{text}]:::holder"),
        Kind::IdleHolder => format!("[{text}]:::idle"),
        Kind::PreparedHolder => format!("{{{{{text}}}}}:::prepared"),
    }
}

/// A label of several lines.
fn quoted<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let lines: Vec<String> = lines.into_iter().map(escape).collect();
    format!("\"{}\"", lines.join("<br/>"))
}

/// Mermaid takes labels for HTML, or for Markdown where they begin with a backtick, and ends them at
/// a quote: all but letters, digits and a few marks that mean nothing to either go by their numbers.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in printable(text).chars() {
        match character {
            ' ' | ',' | '.' | '-' | '\'' | '(' | ')' | '/' => escaped.push(character),
            word if word.is_alphanumeric() => escaped.push(word),
            other => escaped.push_str(&format!("#{};", u32::from(other))),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::quiet;
    use crate::render::planted::{crowd, hostile, incident, refused, report, written};
    use crate::snapshot::Snapshot;

    fn drawn(snapshot: Snapshot) -> String {
        let mut drawn = String::new();
        report(&[snapshot], |report| {
            drawn = written(|mut out| write(report, &mut out));
        });
        drawn
    }

    /// Each line is one of ours, and a string is closed where we closed it.
    fn assert_is_well_formed(chart: &str) {
        let mut lines = chart.lines();
        assert_eq!(lines.next(), Some("flowchart RL"));
        for line in lines.filter(|line| !line.is_empty()) {
            assert!(line.starts_with("  "), "{line}");
            if line.starts_with("  %%") {
                assert!(!line.contains(['{', '}']), "{line}");
                continue;
            }
            let quotes = line.matches('"').count();
            assert!(quotes == 0 || quotes == 2, "{line}");
            assert!(!line.contains('`'), "{line}");
        }
    }

    #[test]
    fn tells_holders_waiters_and_edges_apart() {
        let drawn = drawn(incident());
        assert_is_well_formed(&drawn);
        insta::assert_snapshot!("incident", drawn);
    }

    #[test]
    fn says_so_when_there_is_nothing_to_draw() {
        let drawn = drawn(quiet());
        assert_is_well_formed(&drawn);
        assert!(drawn.contains("no advisory lock is held"), "{drawn}");
    }

    #[test]
    fn says_so_when_the_server_had_no_room() {
        refused(|report| {
            let drawn = written(|mut out| write(report, &mut out));
            assert_is_well_formed(&drawn);
            assert!(drawn.contains("no connection slot is left"), "{drawn}");
        });
    }

    #[test]
    fn hostile_text_stays_in_its_string() {
        let drawn = drawn(hostile());
        assert_is_well_formed(&drawn);
        assert!(
            !drawn.contains("<script") && !drawn.contains("<img"),
            "{drawn}"
        );
        assert!(!drawn.contains(['\u{1b}', '\u{202e}']));
    }

    #[test]
    fn a_crowd_is_cut_before_mermaid_refuses_it() {
        let drawn = drawn(crowd(1_000));
        assert!(drawn.len() < 50_000, "{} characters", drawn.len());
        assert!(drawn.contains("and 990 more"), "{drawn}");
        assert!(drawn.contains("1977 more nodes not drawn"), "{drawn}");
    }
}
