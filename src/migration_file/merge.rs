//! A plan put into the file that is there: nothing of a person's is lost.

use std::collections::HashMap;

use anyhow::{Context, Result, bail};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table};

use super::table::{self, put};
use super::text::duration;
use crate::migration::{DecidedBy, Entry, Plan};

/// The head of a new file.
const HEADER: &str = include_str!("header.toml");

/// The file's text with the plan in it; of a new file where there is none.
///
/// # Errors
/// Names that are not written as `[[name]]` tables: new ones can't be put beside them.
pub fn merged(text: Option<&str>, plan: &Plan) -> Result<String> {
    let looked_at = looked_at(plan);
    let mut document: DocumentMut = text
        .unwrap_or(HEADER)
        .parse()
        .context("the file is no TOML")?;
    if let Some(names) = tables(&mut document)? {
        let mut by_place: HashMap<usize, Vec<&Entry>> = HashMap::new();
        for entry in &plan.entries {
            if let Some(at) = entry.former {
                by_place.entry(at).or_default().push(entry);
            }
        }
        for (at, name) in names.iter_mut().enumerate() {
            let its = by_place.get(&at).map_or(&[][..], Vec::as_slice);
            update(name, its, looked_at.as_deref());
        }
    }
    let mut whole = document.to_string();
    if !whole.is_empty() && !whole.ends_with('\n') {
        whole.push('\n');
    }
    for entry in plan.entries.iter().filter(|entry| entry.former.is_none()) {
        whole.push_str(&table::whole(entry, looked_at.as_deref()));
    }
    Ok(whole)
}

fn looked_at(plan: &Plan) -> Option<String> {
    let (_, last) = plan.span?;
    let last = humantime::format_rfc3339_seconds(last).to_string();
    Some(table::looked_at(plan.samples, &last))
}

fn tables(document: &mut DocumentMut) -> Result<Option<&mut ArrayOfTables>> {
    match document.get_mut("name") {
        None => Ok(None),
        Some(Item::ArrayOfTables(names)) => Ok(Some(names)),
        Some(_) => bail!("the names must be [[name]] tables, each under a heading of its own"),
    }
}

/// A table without a database may stand for several keys, which then were judged as one.
fn update(name: &mut Table, its: &[&Entry], looked_at: Option<&str>) {
    let Some(entry) = its.first() else {
        return;
    };
    let is_only_one = its.len() == 1;
    for (key, value) in table::told(entry) {
        if !name.contains_key(key) && (is_only_one || key != "database") {
            put(name, key, value);
        }
    }
    if entry.ttl == entry.proposed_ttl {
        put(name, "ttl", duration(entry.ttl));
    }
    if entry.decided_by == DecidedBy::Rules {
        table::decided(entry)
            .into_iter()
            .for_each(|(key, value)| put(name, key, value));
    }
    update_seen(name, entry, looked_at);
}

fn update_seen(name: &mut Table, entry: &Entry, looked_at: Option<&str>) {
    if !name.contains_key("seen") {
        let mut under = Table::new();
        under.decor_mut().set_prefix("\n");
        name.insert("seen", Item::Table(under));
    }
    let lines = table::seen(entry, looked_at);
    match name.get_mut("seen") {
        Some(Item::Table(seen)) => lines
            .into_iter()
            .for_each(|(key, value)| put(seen, key, value)),
        // Written in one line, and so it stays.
        Some(Item::Value(inline)) => {
            if let Some(seen) = inline.as_inline_table_mut() {
                for (key, value) in lines {
                    match value {
                        Some(value) => drop(seen.insert(key, value)),
                        None => drop(seen.remove(key)),
                    }
                }
            }
        }
        _ => (),
    }
}
