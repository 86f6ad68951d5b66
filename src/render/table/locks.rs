//! The advisory locks that are held, the most waited for first.

use std::cmp::Reverse;
use std::io::{self, Write};

use super::grid::{self, Column};
use crate::describe;
use crate::hold::{Doing, Hold};
use crate::picture::Picture;
use crate::render::style::Style;
use crate::snapshot::Owner;
use crate::words;

const SHOWN: usize = 20;

struct Row<'b, 'a> {
    picture: &'b Picture<'a>,
    hold: &'b Hold<'a>,
    waiters: usize,
}

pub(super) fn write(picture: &Picture<'_>, style: Style, out: &mut impl Write) -> io::Result<()> {
    if picture.holds.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(out, "{}", style.heading("Advisory locks held"))?;
    let rows = worst(picture);
    grid::write(&columns(), &rows, style, out)?;
    if let Some(more @ 1..) = picture.holds.len().checked_sub(rows.len()) {
        writeln!(
            out,
            "and {} (`--format json` has all)",
            words::count(more, "more lock")
        )?;
    }
    Ok(())
}

fn worst<'b, 'a>(picture: &'b Picture<'a>) -> Vec<Row<'b, 'a>> {
    let mut rows: Vec<Row<'_, '_>> = picture
        .holds
        .iter()
        .map(|hold| Row {
            picture,
            hold,
            waiters: picture.waiters_of(hold).len(),
        })
        .collect();
    rows.sort_by_key(|row| {
        (
            Reverse(row.waiters),
            Reverse(row.hold.at_least),
            row.hold.owner(),
        )
    });
    rows.truncate(SHOWN);
    rows
}

fn columns<'b, 'a>() -> [Column<Row<'b, 'a>>; 8] {
    [
        Column::left("KEY", |row| row.hold.tag.to_string()),
        Column::left("DATABASE", |row| {
            row.picture
                .database_label(row.hold.database)
                .unwrap_or_else(|| "-".to_owned())
        }),
        Column::left("MODE", |row| describe::mode(&row.hold.lock.mode).to_owned()),
        Column::left("HOLDER", holder),
        Column::left("DOES", |row| doing(row.hold.doing()).to_owned()),
        Column::left("SCOPE", |row| describe::scope(row.hold.scope).to_owned()),
        Column::right("HELD", held),
        Column::right("WAITERS", |row| row.waiters.to_string()),
    ]
}

fn holder(row: &Row<'_, '_>) -> String {
    match row.hold.owner() {
        Owner::Session(pid) => {
            let name = row
                .hold
                .holder
                .session()
                .and_then(|session| session.application_name.as_deref());
            match name.filter(|name| !name.is_empty()) {
                Some(name) => format!("{pid} {name}"),
                None => pid.to_string(),
            }
        }
        Owner::Prepared(_) => {
            describe::gid(row.hold).unwrap_or_else(|| "(gid not listed)".to_owned())
        }
    }
}

/// `>= 3m`: the lower bound, which is the certain one.
fn held(row: &Row<'_, '_>) -> String {
    match row.hold.at_least {
        Some(time) => format!(">= {}", words::duration(time)),
        None => match row.hold.at_most {
            Some(time) => format!("<= {}", words::duration(time)),
            None => "?".to_owned(),
        },
    }
}

fn doing(doing: Doing) -> &'static str {
    match doing {
        Doing::Idle => "idle",
        Doing::LikelyIdle => "hidden, no transaction",
        Doing::IdleInTransaction => "idle in transaction",
        Doing::UnseenInTransaction => "hidden, in transaction",
        Doing::Working => "active",
        Doing::Prepared => "prepared",
        Doing::Vanished => "gone",
    }
}
