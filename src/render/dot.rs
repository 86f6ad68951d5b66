//! The wait graph for Graphviz: an arrow leads from who waits to who is ahead.

use std::io::{self, Write};

use super::graph::{Graph, Kind, Limits, Node, Strength};
use super::masthead::{label, not_seen, origin};
use crate::report::{Outcome, Report};
use crate::text::printable;
use crate::words;

const LIMITS: Limits = Limits {
    nodes: 500,
    queue: 50,
    lone: 100,
};

const PREAMBLE: &str = "\
digraph waits {
  rankdir=RL;
  labelloc=t;
  labeljust=l;
  fontname=\"sans-serif\";
  node [shape=box, style=\"rounded,filled\", fillcolor=\"#ffffff\", fontname=\"sans-serif\"];
  edge [fontname=\"sans-serif\", fontsize=10];
";

/// Writes one graph, with the verdict as its label.
///
/// # Errors
/// What the writer says.
pub fn write(report: &Report<'_>, out: &mut impl Write) -> io::Result<()> {
    let graph = match &report.outcome {
        Outcome::Seen(picture) => Some(Graph::of_holders_too(picture, LIMITS)),
        Outcome::Refused { .. } => None,
    };
    write!(out, "{PREAMBLE}")?;
    writeln!(out, "  label={};", lines(title(report, graph.as_ref())))?;
    if let Some(graph) = &graph {
        draw(graph, out)?;
    }
    writeln!(out, "}}")
}

fn title(report: &Report<'_>, graph: Option<&Graph>) -> Vec<String> {
    let word = label(report.summary.severity);
    let mut title = vec![
        format!("{word}: {}", report.summary.verdict),
        origin(report),
    ];
    title.extend(
        not_seen(report)
            .iter()
            .map(|text| format!("not seen: {text}")),
    );
    if let Some(more @ 1..) = graph.map(|graph| graph.left_out) {
        title.push(format!("{} not drawn", words::count(more, "more node")));
    }
    title
}

fn draw(graph: &Graph, out: &mut impl Write) -> io::Result<()> {
    for (at, node) in graph.nodes.iter().enumerate() {
        let text = lines(node.about());
        writeln!(out, "  n{at} [label={text}{}];", look(node))?;
        if node.more > 0 {
            let text = lines([&format!("and {} more", node.more)]);
            writeln!(out, "  m{at} [label={text}, shape=plaintext, style=\"\"];")?;
            writeln!(out, "  m{at} -> n{at} [style=dotted];")?;
        }
    }
    for edge in &graph.edges {
        let style = match edge.strength {
            Strength::Hard => "solid",
            Strength::Soft => "dashed, constraint=false",
        };
        let text = lines([&edge.target]);
        writeln!(
            out,
            "  n{} -> n{} [label={text}, style={style}];",
            edge.waiter, edge.ahead
        )?;
    }
    Ok(())
}

fn look(node: &Node) -> &'static str {
    match node.kind {
        Kind::Waiter => "",
        Kind::Holder => ", penwidth=2",
        Kind::IdleHolder => ", penwidth=2, fillcolor=\"#ffe3b3\"",
        Kind::PreparedHolder => ", penwidth=2, style=\"filled,diagonals\", fillcolor=\"#ffd0d0\"",
    }
}

/// A quoted string whose lines are set to the left.
fn lines<T: AsRef<str>>(lines: impl IntoIterator<Item = T>) -> String {
    let escaped: String = lines
        .into_iter()
        .map(|line| format!("{}\\l", escape(line.as_ref())))
        .collect();
    format!("\"{escaped}\"")
}

/// In a quoted string `\` begins an escape and `&` an entity.
fn escape(text: &str) -> String {
    printable(text)
        .replace('&', "&amp;")
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
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

    /// Every statement on its line, every string closed.
    fn assert_is_well_formed(dot: &str) {
        assert!(dot.starts_with("digraph waits {\n") && dot.ends_with("}\n"));
        let body = dot.lines().skip(1).filter(|line| *line != "}");
        for line in body {
            let without_pairs = line.replace("\\\\", "").replace("\\\"", "");
            assert_eq!(without_pairs.matches('"').count() % 2, 0, "{line}");
            assert!(line.starts_with("  ") && line.ends_with(';'), "{line}");
        }
    }

    #[test]
    fn tells_holders_waiters_and_edges_apart() {
        let drawn = drawn(incident());
        assert_is_well_formed(&drawn);
        insta::assert_snapshot!("incident", drawn);
    }

    #[test]
    fn is_a_graph_also_when_there_is_nothing_to_draw() {
        let drawn = drawn(quiet());
        assert_is_well_formed(&drawn);
        assert!(!drawn.contains("n0"), "{drawn}");
    }

    #[test]
    fn is_a_graph_also_when_the_server_had_no_room() {
        refused(|report| {
            let drawn = written(|mut out| write(report, &mut out));
            assert_is_well_formed(&drawn);
            assert!(drawn.contains("not seen: nothing could be read"), "{drawn}");
        });
    }

    #[test]
    fn hostile_text_stays_in_its_string() {
        let drawn = drawn(hostile());
        assert_is_well_formed(&drawn);
        assert!(!drawn.contains(['\u{1b}', '\u{202e}']));
    }

    #[test]
    fn a_crowd_is_cut_and_the_rest_counted() {
        let drawn = drawn(crowd(1_000));
        assert_is_well_formed(&drawn);
        assert!(drawn.contains("and 950 more"), "{drawn}");
        assert!(drawn.contains("1849 more nodes not drawn"), "{drawn}");
    }
}
