//! Connection pools that have a part in the picture: rows and columns of every table of them.
//! A lone session of unknown pool says nothing.

use super::column::Column;
use crate::describe;
use crate::picture::Picture;
use crate::pool::{Pool, Starvation};

pub(super) fn concerned<'b, 'a>(picture: &'b Picture<'a>) -> Vec<&'b Pool<'a>> {
    picture
        .pools
        .iter()
        .filter(|pool| pool.size.is_some() || (pool.stuck() > 0 && pool.sessions.len() > 1))
        .collect()
}

pub(super) fn columns<'b, 'a>() -> [Column<&'b Pool<'a>>; 7] {
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

pub(super) fn verdict(pool: &Pool<'_>) -> &'static str {
    match pool.starvation() {
        Starvation::No if pool.serving() == 0 && pool.pinned.is_empty() => "all wait",
        Starvation::No => "serves",
        Starvation::AllThatAreOpen => "likely starved",
        Starvation::Proven => "starved",
    }
}
