//! The waits as a table, which says all that the graph draws.

use std::io::{self, Write};

use super::table;
use crate::describe;
use crate::picture::Picture;
use crate::render::column::Column;
use crate::snapshot::Owner;
use crate::waits::{Wait, WaitSource};
use crate::words;

struct Row<'b, 'a> {
    picture: &'b Picture<'a>,
    wait: &'b Wait<'a>,
}

pub(super) fn write(picture: &Picture<'_>, out: &mut impl Write) -> io::Result<()> {
    let waits = picture.waits.waits().iter();
    let rows: Vec<Row<'_, '_>> = waits.map(|wait| Row { picture, wait }).collect();
    table::write("Waits", &columns(), &rows, out)
}

fn columns<'b, 'a>() -> [Column<Row<'b, 'a>>; 6] {
    [
        Column::left("WAITER", |row| who(row, Owner::Session(row.wait.pid))),
        Column::left("WAITS FOR", |row| {
            describe::target(row.picture, &row.wait.lock.target)
        }),
        Column::left("MODE", |row| describe::mode(&row.wait.lock.mode).to_owned()),
        Column::left("HELD BY", held_by),
        Column::right("PLACE", place).measured(place_number),
        Column::right("WAITING", waiting).measured(waiting_seconds),
    ]
}

fn who(row: &Row<'_, '_>, owner: Owner) -> String {
    describe::short(row.picture, owner)
}

fn held_by(row: &Row<'_, '_>) -> String {
    let owners = row.wait.blockers.iter();
    let owners: Vec<String> = owners.map(|owner| who(row, *owner)).collect();
    match owners.is_empty() {
        true => "(the queue only)".to_owned(),
        false => words::some_of(&owners, 3),
    }
}

fn place(row: &Row<'_, '_>) -> String {
    row.wait.queue_position.to_string()
}

fn place_number(row: &Row<'_, '_>) -> Option<f64> {
    u32::try_from(row.wait.queue_position).ok().map(f64::from)
}

fn waiting_seconds(row: &Row<'_, '_>) -> Option<f64> {
    Some(row.wait.waiting?.as_secs_f64())
}

fn waiting(row: &Row<'_, '_>) -> String {
    match (row.wait.waiting, row.wait.source) {
        (Some(time), WaitSource::WaitStart) => words::duration(time),
        (Some(time), _) => format!("<= {}", words::duration(time)),
        (None, _) => "?".to_owned(),
    }
}
