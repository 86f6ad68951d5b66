//! The wait graph as a drawing in the page (SVG), with its texts readable and its rest counted.

use std::io::{self, Write};

use textwrap::core::display_width;

use super::escape::text;
use super::layout::{Cell, Layout};
use crate::picture::Picture;
use crate::render::graph::{Edge, Graph, Kind, Limits, Node, Strength};
use crate::text::printable;
use crate::words;

const LIMITS: Limits = Limits {
    nodes: 48,
    queue: 8,
    lone: 0,
};

/// In pixels.
const BOX_WIDTH: usize = 282;
const BOX_HEIGHT: usize = 90;
const GAP: usize = 74;
const COLUMN: usize = BOX_WIDTH + GAP;
const ROW: usize = BOX_HEIGHT + 22;
const MARGIN: usize = 14;
/// Where edges meet a box, from its top.
const ANCHOR: usize = 24;
const LINE: usize = 18;
/// The radius of an edge's corners.
const BEND: usize = 8;

/// As many columns of text as a box has room for, and of bold text.
const TEXT_WIDTH: usize = 40;
const BOLD_WIDTH: usize = 33;

pub(super) fn write(picture: &Picture<'_>, out: &mut impl Write) -> io::Result<()> {
    let graph = Graph::of_waits(picture, LIMITS);
    if graph.nodes.is_empty() {
        return Ok(());
    }
    let layout = Layout::of(&graph);
    let (width, height) = (
        layout.columns * COLUMN - GAP + 2 * MARGIN,
        layout.rows * ROW + 2 * MARGIN,
    );
    writeln!(
        out,
        "<h2>Who waits for whom</h2>\n<div class=\"scroll graph\" tabindex=\"0\">\n<svg class=\"waits\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"The wait graph; the table of waits says the same in words\">\n\
         <defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" \
         markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0 8 4 0 8Z\"/></marker></defs>"
    )?;
    for edge in &graph.edges {
        draw_edge(edge, &layout, out)?;
    }
    for (node, cell) in graph.nodes.iter().zip(&layout.cells) {
        draw_node(node, *cell, out)?;
    }
    for (at, cell) in &layout.more {
        draw_more(graph.nodes[*at].more, *cell, out)?;
    }
    writeln!(out, "</svg>\n</div>")?;
    legend(&graph, out)
}

fn legend(graph: &Graph, out: &mut impl Write) -> io::Result<()> {
    let left_out = match graph.left_out {
        0 => String::new(),
        more => format!(" {} not drawn.", words::count(more, "more session")),
    };
    writeln!(
        out,
        "<p class=\"muted\">An arrow leads from who waits to who is ahead: a solid one to who holds the lock, \
         a dashed one to who waits for it too, further ahead in the queue. Tinted boxes are holders that \
         do nothing; cut corners are prepared transactions, which have no session.{left_out}</p>"
    )
}

fn left(cell: Cell) -> usize {
    MARGIN + cell.column * COLUMN
}

fn top(cell: Cell) -> usize {
    MARGIN + cell.row * ROW
}

fn draw_edge(edge: &Edge, layout: &Layout, out: &mut impl Write) -> io::Result<()> {
    let (from, to) = (layout.cells[edge.waiter], layout.cells[edge.ahead]);
    let path = match (to.column < from.column, to.column == from.column) {
        (true, _) => leftward(from, to),
        (_, true) if to.row < from.row => upward(from, to),
        _ => below(from, to),
    };
    let class = match edge.strength {
        Strength::Hard => "edge",
        Strength::Soft => "edge soft",
    };
    writeln!(
        out,
        "<path class=\"{class}\" d=\"{path}\" marker-end=\"url(#arrow)\"><title>{}</title></path>",
        text(&edge.target)
    )
}

/// The edges of a queue meet on their way to its owner.
fn leftward(from: Cell, to: Cell) -> String {
    let (x1, y1) = (left(from), top(from) + ANCHOR);
    let (x2, y2) = (left(to) + BOX_WIDTH, top(to) + ANCHOR);
    if y1 == y2 {
        return format!("M{x1} {y1}H{x2}");
    }
    let turn = x1 - GAP / 2;
    let (before, after) = (turn + BEND, turn - BEND);
    let (leaves, arrives) = match y2 < y1 {
        true => (y1 - BEND, y2 + BEND),
        false => (y1 + BEND, y2 - BEND),
    };
    format!(
        "M{x1} {y1}H{before}Q{turn} {y1} {turn} {leaves}V{arrives}Q{turn} {y2} {after} {y2}H{x2}"
    )
}

/// Within a queue.
fn upward(from: Cell, to: Cell) -> String {
    let x = left(from) + BOX_WIDTH / 2;
    format!("M{x} {}V{}", top(from), top(to) + BOX_HEIGHT)
}

/// Back, as only a circle leads.
fn below(from: Cell, to: Cell) -> String {
    let (x1, y1) = (left(from) + BOX_WIDTH / 2, top(from) + BOX_HEIGHT);
    let (x2, y2) = (left(to) + BOX_WIDTH / 2, top(to) + BOX_HEIGHT);
    let (c1, c2) = (y1 + 22, y2 + 22);
    format!("M{x1} {y1}C{x1} {c1} {x2} {c2} {x2} {y2}")
}

/// A picture within the picture: what is too long for its box ends at its edge.
fn draw_node(node: &Node, cell: Cell, out: &mut impl Write) -> io::Result<()> {
    let (class, shape) = match node.kind {
        Kind::Waiter => ("waiter", rectangle()),
        Kind::Holder => ("holder", rectangle()),
        Kind::IdleHolder => ("idle", rectangle()),
        Kind::PreparedHolder => ("prepared", octagon()),
    };
    writeln!(
        out,
        "<svg class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{BOX_WIDTH}\" height=\"{BOX_HEIGHT}\">{shape}",
        left(cell),
        top(cell)
    )?;
    let full: Vec<String> = node.lines().map(text).collect();
    writeln!(out, "<title>{}</title>", full.join("\n"))?;
    for (at, line) in node.lines().enumerate() {
        let (class, width) = match at {
            0 => (" class=\"who\"", BOLD_WIDTH),
            _ => ("", TEXT_WIDTH),
        };
        let (y, shown) = (ANCHOR + at * LINE, text(&cut(line, width)));
        writeln!(out, "<text{class} x=\"14\" y=\"{y}\">{shown}</text>")?;
    }
    writeln!(out, "</svg>")
}

fn rectangle() -> String {
    let (width, height) = (BOX_WIDTH - 2, BOX_HEIGHT - 2);
    format!("<rect class=\"box\" x=\"1\" y=\"1\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>")
}

fn octagon() -> String {
    let (right, bottom) = (BOX_WIDTH - 1, BOX_HEIGHT - 1);
    let (inner_right, inner_bottom) = (right - 12, bottom - 12);
    format!(
        "<path class=\"box\" d=\"M13 1H{inner_right}L{right} 13V{inner_bottom}L{inner_right} {bottom}\
         H13L1 {inner_bottom}V13Z\"/>"
    )
}

fn draw_more(more: usize, cell: Cell, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "<text x=\"{}\" y=\"{}\">and {more} more behind it</text>",
        left(cell) + 14,
        top(cell) + ANCHOR
    )
}

/// As much of a line as a box shows.
fn cut(line: &str, most: usize) -> String {
    let mut shown = String::new();
    let mut width = 0;
    for character in printable(line).chars() {
        width += display_width(character.encode_utf8(&mut [0; 4]));
        if width > most {
            return format!("{}…", shown.trim_end());
        }
        shown.push(character);
    }
    shown
}
