//! What `lockaudit keys` says, for people.

use std::io::{self, Write};

use super::grid;
use super::prose::{paragraph, statement};
use crate::certainty::Certainty;
use crate::key::derived::{Derived, Question};
use crate::key::known::Tool;
use crate::key::naming::Candidate;
use crate::key::spelled::Explained;
use crate::key::{AdvisoryKey, AdvisoryTag, Sharing};
use crate::render::column::Column;
use crate::render::style::Style;
use crate::text::printable;

/// Where the second part of a line begins.
const MARGIN: usize = 14;

/// # Errors
/// What the writer says.
pub fn explained(keys: &[Explained], style: Style, out: &mut impl Write) -> io::Result<()> {
    for (at, one) in keys.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        explain(one, style, out)?;
    }
    Ok(())
}

fn explain(explained: &Explained, style: Style, out: &mut impl Write) -> io::Result<()> {
    let tag = explained.asked.tag;
    writeln!(out, "{}", style.heading(&title(tag)))?;
    for (label, text) in appearances(explained) {
        line(style, (label, &text), out)?;
    }
    for (name, call) in unlock_calls(tag) {
        write!(out, "  {name:MARGIN$}")?;
        statement(style, 0, &call, out)?;
    }
    if tag.key().is_none() {
        line(
            style,
            (
                "to unlock",
                "no SQL function can: only its owner's end frees it",
            ),
            out,
        )?;
    }
    whose(explained, style, out)
}

fn title(tag: AdvisoryTag) -> String {
    match tag.key() {
        Some(key @ AdvisoryKey::Single(_)) => format!("{key}, a bigint"),
        Some(key @ AdvisoryKey::Pair(..)) => format!("{key}, two integers"),
        None => format!("{tag}, an extension's own lock"),
    }
}

fn appearances(explained: &Explained) -> Vec<(&'static str, String)> {
    let AdvisoryTag {
        classid,
        objid,
        objsubid,
    } = explained.asked.tag;
    let database = explained.asked.database;
    let in_log = database.map_or("<database oid>".to_owned(), |oid| oid.to_string());
    vec![
        (
            "in pg_locks",
            format!("classid {classid}, objid {objid}, objsubid {objsubid}"),
        ),
        (
            "halves",
            format!(
                "{} and {} signed",
                classid.cast_signed(),
                objid.cast_signed()
            ),
        ),
        (
            "hexadecimal",
            format!("{:#018x}", explained.asked.tag.number()),
        ),
        (
            "in the log",
            format!(
                "advisory lock [{in_log},{classid},{objid},{}]",
                objsubid.cast_unsigned()
            ),
        ),
    ]
}

fn unlock_calls(tag: AdvisoryTag) -> Vec<(&'static str, String)> {
    let Some(key) = tag.key() else {
        return Vec::new();
    };
    let call = |sharing| format!("SELECT {};", key.unlock_call(sharing));
    vec![
        ("to unlock", call(Sharing::Exclusive)),
        ("  if shared", call(Sharing::Shared)),
    ]
}

fn whose(explained: &Explained, style: Style, out: &mut impl Write) -> io::Result<()> {
    if explained.known.is_empty() {
        return line(style, ("whose", unknown(explained.asked.tag)), out);
    }
    for candidate in &explained.known {
        line(style, ("whose", &candidate.sentence()), out)?;
        for (label, text) in details(candidate) {
            line(style, (label, text), out)?;
        }
    }
    Ok(())
}

/// Of one of many guesses only why it is made: `keys list TOOL` has the rest.
fn details(candidate: &Candidate) -> Vec<(&'static str, &str)> {
    let why = ("  why", Some(candidate.basis.as_str()));
    let source = Some(candidate.source.as_str()).filter(|source| !source.is_empty());
    let rest = [
        ("  scope", candidate.scope.as_deref()),
        ("  advice", candidate.advice.as_deref()),
        ("  source", source),
    ];
    let rest = match candidate.certainty {
        Certainty::Possible => &[][..],
        _ => &rest[..],
    };
    let all = std::iter::once(&why).chain(rest);
    all.filter_map(|(label, text)| Some((*label, (*text)?)))
        .collect()
}

/// What can be said of a key that nobody is known to take.
fn unknown(tag: AdvisoryTag) -> &'static str {
    match (tag.key(), tag.classid) {
        (Some(AdvisoryKey::Single(_)), 0 | u32::MAX) => {
            "not known; its 32 bits are what hashtext(), a CRC-32 or a counter gives: ask again \
             with the names that it may have (--database, --name, --names)"
        }
        (Some(_), _) => {
            "not known; ask again with the names that it may have (--database, --name, --names)"
        }
        (None, _) => "not known; look which extensions the database has",
    }
}

fn line(style: Style, (name, text): (&str, &str), out: &mut impl Write) -> io::Result<()> {
    paragraph(
        style,
        (&format!("  {name:MARGIN$}"), MARGIN + 2),
        &printable(text),
        out,
    )
}

/// # Errors
/// What the writer says.
pub fn derived(
    question: &Question,
    (schemes, tools): (&[Derived], &[Derived]),
    style: Style,
    out: &mut impl Write,
) -> io::Result<()> {
    let heading = format!("Keys of `{}`", printable(&question.name));
    writeln!(out, "{}", style.heading(&heading))?;
    grid::write(&derived_columns("SCHEME"), schemes, style, out)?;
    if !tools.is_empty() {
        writeln!(out)?;
        writeln!(out, "{}", style.heading("What known tools would take"))?;
        grid::write(&derived_columns("TOOL"), tools, style, out)?;
    }
    writeln!(out)?;
    let note = match &question.database {
        Some(_) => EXCEPTIONS.to_owned(),
        None => format!(
            "{EXCEPTIONS} With --database NAME also for tools that hash the database's name."
        ),
    };
    paragraph(style, ("", 0), &note, out)
}

const EXCEPTIONS: &str = "hashtext and hashtextextended hold for a little-endian server, a UTF8 (or SQL_ASCII) database \
    and a deterministic collation; in another encoding they differ for text that is not ASCII.";

fn derived_columns(by: &'static str) -> [Column<Derived>; 4] {
    [
        Column::left(by, |derived| derived.by.clone()),
        Column::right("KEY", |derived| derived.key.arguments()),
        Column::left("MADE BY", |derived| derived.formula.clone()),
        Column::left("TO LOCK", lock_call),
    ]
}

fn lock_call(derived: &Derived) -> String {
    let arguments = derived.sql.clone();
    format!(
        "SELECT pg_advisory_lock({});",
        arguments.unwrap_or_else(|| derived.key.arguments())
    )
}

/// # Errors
/// What the writer says.
pub fn listed(tools: &[&Tool], style: Style, out: &mut impl Write) -> io::Result<()> {
    let columns: [Column<&Tool>; 4] = [
        Column::left("ID", |tool| tool.id.clone()),
        Column::left("TOOL", |tool| tool.name.clone()),
        Column::left("KEY", first_form),
        Column::left("PURPOSE", |tool| tool.purpose.clone()),
    ];
    grid::write(&columns, tools, style, out)
}

fn first_form(tool: &&Tool) -> String {
    match tool.forms.as_slice() {
        [] => String::new(),
        [only] => only.sentence(),
        [first, more @ ..] => format!("{}; {} more", first.sentence(), more.len()),
    }
}

/// # Errors
/// What the writer says.
pub fn in_full(tools: &[&Tool], style: Style, out: &mut impl Write) -> io::Result<()> {
    for (at, tool) in tools.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        one_in_full(tool, style, out)?;
    }
    Ok(())
}

fn one_in_full(tool: &Tool, style: Style, out: &mut impl Write) -> io::Result<()> {
    let heading = format!("{} ({}, {})", tool.name, tool.id, tool.kind);
    writeln!(out, "{}", style.heading(&heading))?;
    line(style, ("for", &tool.purpose), out)?;
    line(style, ("scope", &tool.scope), out)?;
    for form in &tool.forms {
        let what = form
            .what
            .as_ref()
            .map_or(String::new(), |what| format!(": {what}"));
        let sure = form.sure.as_str();
        line(
            style,
            ("key", &format!("{}, {sure}{what}", form.sentence())),
            out,
        )?;
    }
    line(style, ("advice", &tool.advice), out)?;
    line(
        style,
        (
            "source",
            &format!("{}; {}", tool.source, tool.evidence.sentence()),
        ),
        out,
    )
}
