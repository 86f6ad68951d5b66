//! One table for spreadsheets and scripts: the advisory locks, held and waited for (RFC 4180).
//!
//! A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` for a formula, so a foreign text
//! that does gets a `'` before it; our own numbers, negative keys among them, stay numbers. Line
//! breaks and controls within a text are written as escapes: whoever needs every byte reads JSON.

use std::io::{self, Write};

use csv::{Terminator, WriterBuilder};

use super::json::lock::{LockObject, locks};
use super::json::wait::OwnerObject;
use crate::key::{AdvisoryTag, naming};
use crate::picture::{LockId, Picture};
use crate::report::{Outcome, Report};
use crate::snapshot::{Session, Snapshot};
use crate::text::printable;

/// The same row as in JSON, with the session that it belongs to.
struct Row<'a> {
    snapshot: &'a Snapshot,
    lock: LockObject,
    session: Option<&'a Session>,
    /// Whose key it is, in a few words.
    whose: Option<String>,
}

struct Column {
    heading: &'static str,
    /// `None` for what is not known or does not apply: an empty cell.
    cell: fn(&Row<'_>) -> Option<String>,
}

const COLUMNS: [Column; 30] = [
    column("locktype", |row| some(row.lock.locktype)),
    column("database", |row| some(row.lock.database)),
    column("datname", |row| foreign(row.lock.datname.as_ref())),
    column("classid", |row| some(row.lock.classid)),
    column("objid", |row| some(row.lock.objid)),
    column("objsubid", |row| some(row.lock.objsubid)),
    column("virtualtransaction", |row| {
        some(&row.lock.virtualtransaction)
    }),
    column("pid", |row| row.lock.pid.and_then(some)),
    column("mode", |row| foreign(Some(&row.lock.mode))),
    column("granted", |row| some(row.lock.granted)),
    column("waitstart", |row| row.lock.waitstart.clone()),
    column("key", key),
    column("known", |row| foreign(row.whose.as_ref())),
    column("expected", |row| row.lock.expected.and_then(some)),
    column("scope", |row| row.lock.scope.and_then(some)),
    column("scope_basis", |row| row.lock.scope_basis.and_then(some)),
    column("held_at_least_seconds", |row| {
        row.lock.held_at_least_seconds.and_then(some)
    }),
    column("held_at_most_seconds", |row| {
        row.lock.held_at_most_seconds.and_then(some)
    }),
    column("waiting_seconds", |row| {
        row.lock.waiting_seconds.and_then(some)
    }),
    column("waiting_source", |row| {
        row.lock.waiting_source.and_then(some)
    }),
    column("blocked_by", |row| {
        each_blocker(row, |_, owner| owner_name(owner))
    }),
    column("blocked_by_application", |row| {
        each_blocker(row, application_of)
    }),
    column("usename", user),
    column("application_name", |row| {
        foreign(row.session?.application_name.as_ref())
    }),
    column("client_addr", |row| {
        foreign(row.session?.client_addr.as_ref())
    }),
    column("gid", |row| foreign(Some(&row.lock.prepared.as_ref()?.gid))),
    column("pooler", |row| {
        foreign(Some(&row.lock.pooler.as_ref()?.console))
    }),
    column("pool_mode", |row| {
        foreign(Some(&row.lock.pooler.as_ref()?.pool_mode))
    }),
    column("pooler_linked", |row| {
        some(row.lock.pooler.as_ref()?.linked)
    }),
    column("pooler_client", pooler_client),
];

/// Writes the headings and a line for each lock. Where nothing could be read there are only
/// headings: a table has no room for a verdict, so the caller says elsewhere what was not seen.
///
/// # Errors
/// What the writer says.
pub fn write(report: &Report<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut table = WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .from_writer(out);
    table.write_record(COLUMNS.iter().map(|column| column.heading))?;
    if let Outcome::Seen(picture) = &report.outcome {
        for row in rows(picture) {
            let cells = COLUMNS.iter().map(|column| (column.cell)(&row));
            table.write_record(cells.map(Option::unwrap_or_default))?;
        }
    }
    table.flush()
}

fn rows<'b, 'a>(picture: &'b Picture<'a>) -> impl Iterator<Item = Row<'a>> + use<'a, 'b> {
    let snapshot = picture.snapshot;
    locks(picture).map(move |lock| Row {
        snapshot,
        session: lock.pid.and_then(|pid| snapshot.session(pid)),
        whose: naming::summary(picture.known(id(&lock))),
        lock,
    })
}

fn id(lock: &LockObject) -> LockId {
    LockId {
        database: lock.database,
        tag: AdvisoryTag {
            classid: lock.classid,
            objid: lock.objid,
            objsubid: lock.objsubid,
        },
    }
}

/// `42`, or `(-7, -42)`; nothing for an extension's lock.
fn key(row: &Row<'_>) -> Option<String> {
    let key = &row.lock.key;
    match (key.key1, key.key2) {
        (Some(first), Some(second)) => some(format!("({first}, {second})")),
        _ => key.key.clone(),
    }
}

/// `billing at 10.0.0.9:41034`: the latest borrower.
fn pooler_client(row: &Row<'_>) -> Option<String> {
    let client = row.lock.pooler.as_ref()?.client.as_ref()?;
    let name = client.application_name.as_deref().unwrap_or_default();
    let port = client.port.map_or(String::new(), |port| format!(":{port}"));
    foreign(Some(&format!("{name} at {}{port}", client.addr)))
}

fn user(row: &Row<'_>) -> Option<String> {
    let prepared = row.lock.prepared.as_ref();
    let owner = prepared.and_then(|prepared| prepared.owner.as_ref());
    foreign(
        row.session
            .map_or(owner, |session| session.usename.as_ref()),
    )
}

fn each_blocker(
    row: &Row<'_>,
    say: fn(&Row<'_>, &OwnerObject) -> Option<String>,
) -> Option<String> {
    let said: Vec<String> = row
        .lock
        .blocked_by
        .iter()
        .filter_map(|owner| say(row, owner))
        .collect();
    foreign(Some(&said.join("; ")))
}

fn owner_name(owner: &OwnerObject) -> Option<String> {
    match (owner.pid, &owner.gid) {
        (Some(pid), _) => some(pid),
        (None, Some(gid)) => some(format!("prepared {gid}")),
        (None, None) => some("prepared"),
    }
}

fn application_of(row: &Row<'_>, owner: &OwnerObject) -> Option<String> {
    row.snapshot.session(owner.pid?)?.application_name.clone()
}

/// Our own words and numbers.
fn some(value: impl ToString) -> Option<String> {
    Some(value.to_string())
}

/// Somebody else's words, so that neither a terminal nor a spreadsheet obeys them.
fn foreign(text: Option<&String>) -> Option<String> {
    let text = printable(text?);
    match text.trim_start().starts_with(FORMULA) {
        true => Some(format!("'{text}")),
        false => Some(text),
    }
}

/// The last four are their full-width forms, which some locales' spreadsheets take too.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

const fn column(heading: &'static str, cell: fn(&Row<'_>) -> Option<String>) -> Column {
    Column { heading, cell }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::planted::{HOSTILE, hostile, incident, refused, report, written};

    fn records(text: &str) -> Vec<csv::StringRecord> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(text.as_bytes());
        reader
            .records()
            .map(|record| record.expect("each line has as many cells"))
            .collect()
    }

    #[test]
    fn has_a_line_for_each_lock_that_is_held_or_waited_for() {
        report(&[incident()], |report| {
            let text = written(|mut out| write(report, &mut out));
            let lines: Vec<&str> = text.split("\r\n").collect();
            assert_eq!(
                lines[..3],
                [
                    "locktype,database,datname,classid,objid,objsubid,virtualtransaction,pid,mode,granted,\
                     waitstart,key,known,expected,scope,scope_basis,held_at_least_seconds,held_at_most_seconds,waiting_seconds,\
                     waiting_source,blocked_by,blocked_by_application,usename,application_name,client_addr,gid,\
                     pooler,pool_mode,pooler_linked,pooler_client",
                    "advisory,16384,orders,0,7,1,10/0,10,ExclusiveLock,true,,7,Coder?,false,session,not_in_transaction,\
                     60,3600,,,,,app,worker,10.0.0.7,,,,,",
                    "advisory,16384,orders,4294967295,4294967254,1,-1/736,,ExclusiveLock,true,,-42,,false,transaction,\
                     prepared,600,,,,,,app,,,order-17,,,,",
                ]
            );
            assert_eq!(
                lines[5],
                "advisory,16384,orders,0,7,1,11/2,11,ExclusiveLock,false,2027-01-15T07:58:25.000000Z,7,Coder?,,,,,,\
                 95,waitstart,10,worker,app,api,10.0.0.7,,,,,"
            );
            assert_eq!(records(&text).len(), 9);
        });
    }

    #[test]
    fn no_foreign_cell_is_a_formula_or_acts_on_a_terminal() {
        report(&[hostile()], |report| {
            let text = written(|mut out| write(report, &mut out));
            let shown = format!("'{}", printable(HOSTILE));
            let records = records(&text);
            assert_eq!(records[1].get(23), Some(&shown[..]));
            assert_eq!(records[2].get(25), Some(&shown[..]));
            for record in records.iter().skip(1) {
                for (at, cell) in record.iter().enumerate() {
                    let is_number = cell.parse::<f64>().is_ok();
                    let is_backend = COLUMNS[at].heading == "virtualtransaction";
                    assert!(
                        is_number || is_backend || !cell.starts_with(FORMULA),
                        "{cell}"
                    );
                }
            }
            assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
        });
    }

    #[test]
    fn a_refusal_has_the_headings_alone() {
        refused(|report| {
            let text = written(|mut out| write(report, &mut out));
            assert_eq!(records(&text).len(), 1);
        });
    }
}
