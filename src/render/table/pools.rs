//! The connection pools that have a part in the picture.

use std::io::{self, Write};

use super::grid;
use crate::picture::Picture;
use crate::render::pool_rows;
use crate::render::style::Style;
use crate::words;

const SHOWN: usize = 10;

pub(super) fn write(picture: &Picture<'_>, style: Style, out: &mut impl Write) -> io::Result<()> {
    let concerned = pool_rows::concerned(picture);
    if concerned.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(
        out,
        "{}",
        style.heading("Pools (database, role, application, client)")
    )?;
    let shown = &concerned[..concerned.len().min(SHOWN)];
    grid::write(&pool_rows::columns(), shown, style, out)?;
    if let Some(more @ 1..) = concerned.len().checked_sub(SHOWN) {
        writeln!(out, "and {}", words::count(more, "more pool"))?;
    }
    Ok(())
}
