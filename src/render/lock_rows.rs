//! The advisory locks that are held, the most waited for first: rows and columns of every table of them.

use std::cmp::Reverse;

use super::column::Column;
use crate::describe;
use crate::hold::{Doing, Hold};
use crate::key::naming;
use crate::picture::{LockId, Picture};
use crate::snapshot::Owner;
use crate::words;

pub(super) struct LockRow<'b, 'a> {
    picture: &'b Picture<'a>,
    hold: &'b Hold<'a>,
    waiters: usize,
}

pub(super) fn all<'b, 'a>(picture: &'b Picture<'a>) -> Vec<LockRow<'b, 'a>> {
    let mut rows: Vec<LockRow<'_, '_>> = picture
        .holds
        .iter()
        .map(|hold| LockRow {
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
    rows
}

pub(super) fn columns<'b, 'a>() -> [Column<LockRow<'b, 'a>>; 8] {
    [
        Column::left("KEY", key),
        Column::left("DATABASE", |row| {
            row.picture
                .database_label(row.hold.database)
                .unwrap_or_else(|| "-".to_owned())
        }),
        Column::left("MODE", |row| describe::mode(&row.hold.lock.mode).to_owned()),
        Column::left("HOLDER", holder),
        Column::left("DOES", |row| doing(row.hold.doing()).to_owned()),
        Column::left("SCOPE", |row| describe::scope(row.hold.scope).to_owned()),
        Column::right("HELD", held).measured(held_seconds),
        Column::right("WAITERS", waiters).measured(waiters_number),
    ]
}

fn waiters(row: &LockRow<'_, '_>) -> String {
    row.waiters.to_string()
}

fn waiters_number(row: &LockRow<'_, '_>) -> Option<f64> {
    u32::try_from(row.waiters).ok().map(f64::from)
}

fn held_seconds(row: &LockRow<'_, '_>) -> Option<f64> {
    let time = row.hold.at_least.or(row.hold.at_most)?;
    Some(time.as_secs_f64())
}

/// With whose it is, where that is known: `72707369 (Prisma Migrate)`.
fn key(row: &LockRow<'_, '_>) -> String {
    let tag = row.hold.tag;
    match naming::summary(row.picture.known(LockId::of(row.hold))) {
        Some(whose) => format!("{tag} ({whose})"),
        None => tag.to_string(),
    }
}

fn holder(row: &LockRow<'_, '_>) -> String {
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
fn held(row: &LockRow<'_, '_>) -> String {
    match row.hold.at_least {
        Some(time) => format!(">= {}", words::duration(time)),
        None => match row.hold.at_most {
            Some(time) => format!("<= {}", words::duration(time)),
            None => "?".to_owned(),
        },
    }
}

/// What a holder does, in a cell.
pub(super) fn doing(doing: Doing) -> &'static str {
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
