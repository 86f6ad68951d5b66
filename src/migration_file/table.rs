//! One `[[name]]` as it is written: what a person may change, and what was seen.

use toml_edit::{Array, Item, Table, Value};

use super::read::form_of;
use super::text::{duration, moment, string, strings};
use crate::key::spelled::spell;
use crate::migration::{Entry, Reason, Standing, Upper, Usage};
use crate::words;

/// A key of a table and its value; `None` takes it away.
pub(super) type Line = (&'static str, Option<Value>);

/// The table of a key that is new, with its headings.
pub(super) fn whole(entry: &Entry, looked_at: Option<&str>) -> String {
    let mut table = Table::new();
    for (key, value) in told(entry).into_iter().chain(decided(entry)) {
        put(&mut table, key, value);
    }
    let mut under = Table::new();
    for (key, value) in seen(entry, looked_at) {
        put(&mut under, key, value);
    }
    format!("\n[[name]]\n{table}\n[name.seen]\n{under}")
}

/// What is written once and belongs to the reader from then on.
pub(super) fn told(entry: &Entry) -> Vec<Line> {
    let database = entry.subject.database.as_deref();
    vec![
        ("name", Some(string(&entry.name))),
        ("key", Some(string(&spell(entry.subject.tag)))),
        ("form", Some(string(form_of(entry.subject.tag)))),
        ("database", database.map(string)),
        ("ttl", duration(entry.ttl)),
    ]
}

/// What is written anew as long as nobody changed it.
pub(super) fn decided(entry: &Entry) -> Vec<Line> {
    let certainty = entry.certainty.map(|certainty| string(certainty.as_str()));
    vec![
        ("decision", Some(string(entry.decision.as_str()))),
        ("certainty", certainty),
        ("reason", Some(string(&entry.reason))),
    ]
}

/// What is written anew by each run.
pub(super) fn seen(entry: &Entry, looked_at: Option<&str>) -> Vec<Line> {
    let Usage {
        applications,
        roles,
        asked_by,
        modes,
        scopes,
        calls,
        held_at_least,
        held_at_most,
        idle_in_transaction,
        most_waiters,
        names_of_one_backend,
        lent_to_us,
        seen_in,
        samples,
        last_seen,
    } = &entry.usage;
    let list = |texts: Vec<&str>| (!texts.is_empty()).then(|| strings(texts));
    let owned = |texts: &std::collections::BTreeSet<String>| {
        list(texts.iter().map(String::as_str).collect())
    };
    let count = i64::try_from(*most_waiters).ok().filter(|count| *count > 0);
    let judged = &entry.judged;
    let texts =
        |reasons: &[Reason]| list(reasons.iter().map(|reason| reason.text.as_str()).collect());
    vec![
        (
            "databases",
            list(entry.databases.iter().map(String::as_str).collect()),
        ),
        ("applications", owned(applications)),
        ("roles", owned(roles)),
        ("asked_by", owned(asked_by)),
        (
            "modes",
            list(modes.iter().map(|mode| mode.as_str()).collect()),
        ),
        (
            "scopes",
            list(scopes.iter().map(|scope| scope.as_str()).collect()),
        ),
        (
            "calls",
            list(calls.iter().map(|call| call.as_str()).collect()),
        ),
        ("held_at_least", held_at_least.and_then(duration)),
        ("held_at_most", held_at_most.and_then(upper)),
        (
            "idle_in_transaction",
            idle_in_transaction.and_then(duration),
        ),
        ("most_waiters", count.map(Value::from)),
        ("names_of_one_backend", owned(names_of_one_backend)),
        ("lent_to_us", lent_to_us.then(|| Value::from(true))),
        (
            "samples",
            last_seen.map(|_| string(&format!("{seen_in} of {samples}"))),
        ),
        ("last_seen", last_seen.and_then(moment)),
        ("note", note(entry, looked_at)),
        ("proposed_ttl", duration(entry.proposed_ttl)),
        ("proposed_decision", Some(string(judged.decision.as_str()))),
        ("reasons", texts(&judged.reasons)),
        ("remarks", texts(&judged.remarks)),
    ]
}

fn upper(upper: Upper) -> Option<Value> {
    match upper {
        Upper::Of(most) => duration(most),
        Upper::Unknown => Some(string("unknown")),
    }
}

fn note(entry: &Entry, looked_at: Option<&str>) -> Option<Value> {
    let looked_at = looked_at.filter(|_| entry.standing == Standing::NotSeen);
    looked_at.map(|looked_at| {
        let since = match entry.usage.was_seen() {
            true => "not seen any more",
            false => "never seen",
        };
        string(&format!("{since} {looked_at}"))
    })
}

/// Changes one value and nothing round it: the comment behind it stays.
pub(super) fn put(table: &mut Table, key: &str, value: Option<Value>) {
    let Some(mut value) = value.map(broken_if_long) else {
        table.remove(key);
        return;
    };
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => {
            table.insert(key, Item::Value(value));
        }
    }
}

/// A list of sentences has a line for each.
fn broken_if_long(value: Value) -> Value {
    const WIDE: usize = 80;
    let Value::Array(array) = &value else {
        return value;
    };
    if array.len() < 2 || value.to_string().len() <= WIDE {
        return value;
    }
    let mut broken = Array::new();
    for element in array {
        broken.push_formatted(element.clone().decorated("\n    ", ""));
    }
    broken.set_trailing("\n");
    broken.set_trailing_comma(true);
    Value::Array(broken)
}

/// `in 3 samples of 2026-11-30T09:00:00Z`
pub(super) fn looked_at(samples: usize, last: &str) -> String {
    format!("in {} until {last}", words::count(samples, "sample"))
}
