//! The advisory locks that are held, as many as a screen takes.

use std::io::{self, Write};

use super::grid;
use crate::picture::Picture;
use crate::render::lock_rows;
use crate::render::style::Style;
use crate::words;

const SHOWN: usize = 20;

pub(super) fn write(picture: &Picture<'_>, style: Style, out: &mut impl Write) -> io::Result<()> {
    if picture.holds.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(out, "{}", style.heading("Advisory locks held"))?;
    let mut rows = lock_rows::all(picture);
    rows.truncate(SHOWN);
    grid::write(&lock_rows::columns(), &rows, style, out)?;
    if let Some(more @ 1..) = picture.holds.len().checked_sub(rows.len()) {
        writeln!(
            out,
            "and {} (`--format json` has all)",
            words::count(more, "more lock")
        )?;
    }
    Ok(())
}
