//! Connection pools that have a part in the picture; a lone session of unknown pool says nothing.

use std::io::{self, Write};

use super::grid::{self, Column};
use crate::describe;
use crate::picture::Picture;
use crate::pool::{Pool, Starvation};
use crate::render::style::Style;
use crate::words;

const SHOWN: usize = 10;

pub(super) fn write(picture: &Picture<'_>, style: Style, out: &mut impl Write) -> io::Result<()> {
    let concerned: Vec<&Pool<'_>> = picture
        .pools
        .iter()
        .filter(|pool| pool.size.is_some() || (pool.stuck() > 0 && pool.sessions.len() > 1))
        .collect();
    if concerned.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(
        out,
        "{}",
        style.heading("Pools (database, role, application, client)")
    )?;
    let shown: Vec<&Pool<'_>> = concerned.iter().take(SHOWN).copied().collect();
    grid::write(&columns(), &shown, style, out)?;
    if let Some(more @ 1..) = concerned.len().checked_sub(SHOWN) {
        writeln!(out, "and {}", words::count(more, "more pool"))?;
    }
    Ok(())
}

fn columns<'b, 'a>() -> [Column<&'b Pool<'a>>; 7] {
    [
        Column::left("POOL", |pool| describe::pool(&pool.key)),
        Column::right("SIZE", |pool| {
            pool.size.map_or("?".to_owned(), |size| size.to_string())
        }),
        Column::right("OPEN", |pool| pool.sessions.len().to_string()),
        Column::right("PINNED", |pool| pool.pinned.len().to_string()),
        Column::right("WAITING", |pool| pool.waiting.len().to_string()),
        Column::right("LEFT", left_over),
        Column::left("VERDICT", |pool| verdict(pool).to_owned()),
    ]
}

/// Connections that are open and free or at work, and those that may still be opened.
fn left_over(pool: &&Pool<'_>) -> String {
    match pool.size {
        Some(size) => (size as usize).saturating_sub(pool.stuck()).to_string(),
        None => format!("{}+?", pool.serving()),
    }
}

fn verdict(pool: &Pool<'_>) -> &'static str {
    match pool.starvation() {
        Starvation::No => "serves",
        Starvation::AllThatAreOpen => "likely starved",
        Starvation::Proven => "starved",
    }
}
