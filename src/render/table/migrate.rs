//! What `lockaudit migrate plan` says, for people: the keys of each decision, and why.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::time::Duration;

use super::grid;
use super::prose::paragraph;
use crate::key::spelled::spell;
use crate::migration::ttl;
use crate::migration::{DecidedBy, Decision, Entry, Plan, Reason, Standing};
use crate::render::column::Column;
use crate::render::masthead;
use crate::render::style::Style;
use crate::snapshot::Source;
use crate::text::printable;
use crate::words;

/// Of one decision.
const SHOWN: usize = 20;

/// # Errors
/// What the writer says.
pub fn plan(
    (plan, sources): (&Plan, &[Source]),
    style: Style,
    out: &mut impl Write,
) -> io::Result<()> {
    let label = style.heading("PLAN");
    paragraph(style, (&format!("{label}  "), 6), &verdict(plan), out)?;
    paragraph(style, ("", 0), &printable(&origin(plan, sources)), out)?;
    for spot in &plan.blind_spots {
        let text = masthead::blind_spot(spot);
        paragraph(style, ("not seen: ", 10), &printable(&text), out)?;
    }
    let places = places(plan, sources);
    for (_, decision) in Decision::WORDS {
        let entries: Vec<&Entry> = plan.decided(decision).collect();
        if !entries.is_empty() {
            writeln!(out)?;
            section((decision, places), &entries, style, out)?;
        }
    }
    notes(plan, style, out)
}

/// Whether a key's database has to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Places {
    /// All are where we looked from, and the screen's head says it.
    One,
    Several,
}

fn places(plan: &Plan, sources: &[Source]) -> Places {
    let said: BTreeSet<&String> = sources.iter().map(|source| &source.dbname).collect();
    let mut databases = plan.entries.iter().map(|entry| &entry.subject.database);
    let is_said =
        |database: &Option<String>| database.as_ref().is_none_or(|one| said.contains(one));
    match said.len() == 1 && databases.all(is_said) {
        true => Places::One,
        false => Places::Several,
    }
}

/// `4 keys: 1 refuse, 3 lease`
fn verdict(plan: &Plan) -> String {
    if plan.entries.is_empty() {
        return "no advisory key was seen".to_owned();
    }
    let counts = Decision::WORDS.iter().filter_map(|(word, decision)| {
        let count = plan.decided(*decision).count();
        (count > 0).then(|| format!("{count} {word}"))
    });
    let counts: Vec<String> = counts.collect();
    let keys = words::count(plan.entries.len(), "key");
    format!("{keys}: {}", counts.join(", "))
}

/// `db1:5432, database orders, as auditor; 600 samples until 2026-11-30T03:12:44Z`
fn origin(plan: &Plan, sources: &[Source]) -> String {
    let places: Vec<String> = sources.iter().map(masthead::place).collect();
    let places = words::some_of(&places, 3);
    match plan.span {
        None => "no server or snapshot was looked at".to_owned(),
        Some((first, last)) => {
            let samples = words::count(plan.samples, "sample");
            let last_at = masthead::moment(last);
            let length = last.duration_since(first).unwrap_or_default();
            let length = Duration::from_secs_f64(length.as_secs_f64().round());
            match plan.samples {
                1 => format!("{places}; {samples}, {last_at}"),
                _ => format!(
                    "{places}; {samples} in {}, until {last_at}",
                    words::duration(length)
                ),
            }
        }
    }
}

fn section(
    (decision, places): (Decision, Places),
    entries: &[&Entry],
    style: Style,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "{}", style.heading(decision.as_str()))?;
    let shown = entries.iter().take(SHOWN);
    let rows: Vec<Row> = shown.map(|entry| row(entry, places)).collect();
    grid::write(&columns(&rows), &rows, style, out)?;
    if let Some(more @ 1..) = entries.len().checked_sub(rows.len()) {
        let more = words::count(more, "more key");
        writeln!(out, "and {more} (`--format json` has all)")?;
    }
    for (text, about) in said(entries) {
        let text = match about.len() == entries.len() {
            true => text,
            false => format!("{}: {text}", words::some_of(&about, 3)),
        };
        paragraph(style, ("   - ", 5), &printable(&text), out)?;
    }
    if let Some(text) = load(decision, entries.len()) {
        paragraph(style, ("   - ", 5), &text, out)?;
    }
    Ok(())
}

/// What a great many leases cost.
fn load(decision: Decision, leases: usize) -> Option<String> {
    let writes = ttl::renewals_per_second(leases);
    (decision == Decision::Lease && writes >= 1.0).then(|| {
        format!(
            "all held at once and renewed every 30 seconds, they are {writes:.1} writes a second"
        )
    })
}

/// A line for one key.
struct Row {
    key: String,
    /// Nothing where the key itself is the name.
    name: String,
    database: String,
    used_by: String,
    held: String,
    waiters: String,
    seen: String,
    ttl: String,
}

fn row(entry: &Entry, places: Places) -> Row {
    let usage = &entry.usage;
    let key = spell(entry.subject.tag);
    let users: BTreeSet<&str> = usage
        .applications
        .iter()
        .chain(&usage.asked_by)
        .map(String::as_str)
        .collect();
    let users: Vec<&str> = users.into_iter().collect();
    Row {
        name: Some(&entry.name)
            .filter(|name| **name != key)
            .cloned()
            .unwrap_or_default(),
        key,
        database: match (places, &entry.subject.database) {
            (Places::Several, Some(database)) => database.clone(),
            _ => String::new(),
        },
        used_by: words::some_of(&users, 2),
        held: usage.held_at_least.map(words::duration).unwrap_or_default(),
        waiters: match usage.most_waiters {
            0 => String::new(),
            count => count.to_string(),
        },
        seen: match entry.standing {
            Standing::NotSeen => "not now".to_owned(),
            Standing::NotLookedFor => "–".to_owned(),
            _ => format!("{}/{}", usage.seen_in, usage.samples),
        },
        ttl: match entry.decision {
            Decision::Lease => words::duration(entry.ttl),
            _ => String::new(),
        },
    }
}

/// Those with something in them: a screen has 80 columns.
fn columns(rows: &[Row]) -> Vec<Column<Row>> {
    let all = [
        Column::left("KEY", |row: &Row| row.key.clone()),
        Column::left("NAME", |row| row.name.clone()),
        Column::left("DATABASE", |row| row.database.clone()),
        Column::left("USED BY", |row| row.used_by.clone()),
        Column::right("HELD", |row| row.held.clone()),
        Column::right("WAITERS", |row| row.waiters.clone()),
        Column::right("SEEN", |row| row.seen.clone()),
        Column::right("TTL", |row| row.ttl.clone()),
    ];
    let says_something =
        |column: &Column<Row>| rows.iter().any(|row| !(column.cell)(row).is_empty());
    all.into_iter().filter(says_something).collect()
}

/// Each thing that is said, and of which keys, in the order of the keys.
fn said(entries: &[&Entry]) -> Vec<(String, Vec<String>)> {
    let mut order = Vec::new();
    let mut keys: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in entries {
        for text in sentences(entry) {
            let about = keys.entry(text.clone()).or_default();
            if about.is_empty() {
                order.push(text);
            }
            about.push(label(entry));
        }
    }
    order
        .into_iter()
        .map(|text| {
            let about = keys.remove(&text).unwrap_or_default();
            (text, about)
        })
        .collect()
}

/// `42`, and its database where it is in several.
fn label(entry: &Entry) -> String {
    let key = spell(entry.subject.tag);
    match &entry.subject.database {
        Some(database) if entry.databases.len() > 1 => format!("{key} in {database}"),
        _ => key,
    }
}

fn sentences(entry: &Entry) -> Vec<String> {
    let judged = &entry.judged;
    let remarks = judged.remarks.iter().map(sentence);
    match entry.decided_by {
        DecidedBy::Rules => judged.reasons.iter().map(sentence).chain(remarks).collect(),
        DecidedBy::Person => {
            let by_file = format!("by the file: {}", entry.reason);
            let otherwise = (judged.decision != entry.decision).then(|| {
                let reason = sentence(&judged.reasons[0]);
                format!("what was seen says {}: {reason}", judged.decision)
            });
            [by_file]
                .into_iter()
                .chain(otherwise)
                .chain(remarks)
                .collect()
        }
    }
}

fn sentence(reason: &Reason) -> String {
    format!("{} ({})", reason.text, reason.certainty.as_str())
}

fn notes(plan: &Plan, style: Style, out: &mut impl Write) -> io::Result<()> {
    if plan.entries.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(out, "{}", style.heading("What no sample shows"))?;
    for note in &plan.notes {
        paragraph(style, ("   - ", 5), &printable(note), out)?;
    }
    Ok(())
}
