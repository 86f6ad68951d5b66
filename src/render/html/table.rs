//! Tables that sort by a click on a heading, and are whole without it.

use std::io::{self, Write};

use super::escape::text;
use crate::render::column::{Align, Column};
use crate::words;

/// A browser sorts so many without a pause.
const SHOWN: usize = 2_000;

pub(super) fn write<T>(
    heading: &str,
    columns: &[Column<T>],
    rows: &[T],
    out: &mut impl Write,
) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<h2>{heading}</h2>\n<div class=\"scroll\">\n<table class=\"sortable\" aria-label=\"{heading}\">\n<thead><tr>"
    )?;
    for column in columns {
        head(column, out)?;
    }
    writeln!(out, "</tr></thead>\n<tbody>")?;
    for row in rows.iter().take(SHOWN) {
        write!(out, "<tr>")?;
        for column in columns {
            cell(column, row, out)?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody>\n</table>\n</div>")?;
    if let Some(more @ 1..) = rows.len().checked_sub(SHOWN) {
        let more = words::count(more, "more row");
        writeln!(out, "<p class=\"muted\">and {more}, not on this page</p>")?;
    }
    Ok(())
}

fn head<T>(column: &Column<T>, out: &mut impl Write) -> io::Result<()> {
    let numeric = column.measure.map_or("", |_| " data-numeric");
    writeln!(
        out,
        "<th scope=\"col\" aria-sort=\"none\"{}{numeric}><button type=\"button\">{}</button></th>",
        class(column.align),
        column.heading
    )
}

fn cell<T>(column: &Column<T>, row: &T, out: &mut impl Write) -> io::Result<()> {
    let value = column.measure.and_then(|measure| measure(row));
    let value = value.map_or(String::new(), |value| format!(" data-value=\"{value}\""));
    let shown = text(&(column.cell)(row));
    write!(out, "<td{}{value}>{shown}</td>", class(column.align))
}

fn class(align: Align) -> &'static str {
    match align {
        Align::Left => "",
        Align::Right => " class=\"right\"",
    }
}
