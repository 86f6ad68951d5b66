//! The pools of the poolers whose consoles were asked.

use std::io::{self, Write};

use super::grid;
use crate::render::pooler_rows;
use crate::render::style::Style;
use crate::snapshot::Pooler;
use crate::words;

const SHOWN: usize = 10;

pub(super) fn write(poolers: &[Pooler], style: Style, out: &mut impl Write) -> io::Result<()> {
    let rows = pooler_rows::all(poolers);
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(
        out,
        "{}",
        style.heading("Poolers (clients that wait there are in no view of PostgreSQL)")
    )?;
    let shown = &rows[..rows.len().min(SHOWN)];
    grid::write(&pooler_rows::columns(), shown, style, out)?;
    if let Some(more @ 1..) = rows.len().checked_sub(SHOWN) {
        writeln!(out, "and {}", words::count(more, "more pool"))?;
    }
    Ok(())
}
