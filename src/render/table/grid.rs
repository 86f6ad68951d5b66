//! Tables without lines: columns are set apart by room alone.

use std::io::{self, Write};

use comfy_table::presets::NOTHING;
use comfy_table::{
    Attribute, Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, Width,
};

use crate::render::column::{Align, Column};
use crate::render::style::{Colour, Style};
use crate::text::printable;

/// Writes the rows under their headings, each cell made printable; wrapped to the screen if there is one.
pub(super) fn write<T>(
    columns: &[Column<T>],
    rows: &[T],
    style: Style,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut table = Table::new();
    table.load_style(NOTHING).force_no_tty();
    if style.colour == Colour::Ansi {
        table.enforce_styling();
    }
    if let Some(width) = style.width {
        table
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(width.max(40));
    }
    table.set_header(columns.iter().map(|column| {
        Cell::new(column.heading)
            .add_attribute(Attribute::Bold)
            .set_alignment(alignment(column.align))
    }));
    for row in rows {
        table.add_row(columns.iter().map(|column| {
            Cell::new(printable(&(column.cell)(row))).set_alignment(alignment(column.align))
        }));
    }
    for (at, _) in columns.iter().enumerate() {
        if let Some(column) = table.column_mut(at) {
            column.set_padding((0, 2));
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(6)));
        }
    }
    for line in table.lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn alignment(align: Align) -> CellAlignment {
    match align {
        Align::Left => CellAlignment::Left,
        Align::Right => CellAlignment::Right,
    }
}
