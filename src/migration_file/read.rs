//! The file, key by key. What is not understood is an error with its place.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, SystemTime};

use toml::de::DeValue;

use super::VERSION;
use crate::certainty::Certainty;
use crate::key::AdvisoryTag;
use crate::key::spelled::Asked;
use crate::lease::Name;
use crate::migration::ttl::{LONGEST, SHORTEST};
use crate::migration::{Call, Decision, Former, Mode, ScopeSeen, Told, Upper, Usage};
use crate::toml_file::{self, Mistakes, Section, Wrong, value};

const CERTAINTIES: [(&str, Certainty); 3] = [
    ("certain", Certainty::Certain),
    ("likely", Certainty::Likely),
    ("possible", Certainty::Possible),
];

const FORMS: [(&str, &str); 3] = [
    ("bigint", "bigint"),
    ("int4x2", "int4x2"),
    ("extension", "extension"),
];

/// A file's name and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    pub name: String,
    pub text: String,
}

/// The plan that was made before. Each name and each key may stand there once.
///
/// # Errors
/// All that is wrong with the file.
pub fn read_former(document: &Document) -> Result<Vec<Former>, Mistakes> {
    read(document, Doubles::Refused)
}

/// A map of names and keys. Where two names share a key, or two keys a name, the plan says so.
///
/// # Errors
/// All that is wrong with the file.
pub fn read_map(document: &Document) -> Result<Vec<Told>, Mistakes> {
    let formers = read(document, Doubles::Told)?;
    Ok(formers.into_iter().map(|former| former.told).collect())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doubles {
    Refused,
    Told,
}

fn read(document: &Document, doubles: Doubles) -> Result<Vec<Former>, Mistakes> {
    let Document { name, text } = document;
    toml_file::read(name, text, |file| {
        version(&file);
        let sections = file.sections("name", "[[name]]");
        file.finish();
        let mut formers: Vec<Former> = Vec::new();
        let mut above = Above::default();
        for section in sections {
            let former = former(&section);
            if let Some(former) = former.as_ref().filter(|_| doubles == Doubles::Refused) {
                above.refuse_again(&section, &former.told);
            }
            section.finish();
            formers.extend(former);
        }
        Some(formers)
    })
}

fn version(file: &Section<'_>) {
    let version = file.whole_number("version", 1);
    if let Some(other) = version.filter(|version| *version != VERSION) {
        let message =
            format!("version {other} is newer than this lockaudit understands ({VERSION})");
        file.refuse("version", Wrong::saying(message));
    }
}

/// What stands above.
#[derive(Default)]
struct Above {
    names: HashSet<String>,
    by_tag: HashMap<AdvisoryTag, Vec<Told>>,
}

impl Above {
    fn refuse_again(&mut self, section: &Section<'_>, told: &Told) {
        if !self.names.insert(told.name.clone()) {
            section.refuse("name", Wrong::saying("the name stands above already"));
        }
        let same = self.by_tag.entry(told.tag).or_default();
        if let Some(one) = same.iter().find(|one| meet(one, told)) {
            let message = format!("the key is that of \"{}\" already", one.name);
            section.refuse("key", Wrong::saying(message));
        }
        same.push(told.clone());
    }
}

fn meet(one: &Told, other: &Told) -> bool {
    one.database.is_none() || other.database.is_none() || one.database == other.database
}

fn former(section: &Section<'_>) -> Option<Former> {
    let name = section.name();
    if let Some(Err(why)) = name.as_ref().map(|name| name.parse::<Name>()) {
        section.refuse("name", Wrong::saying(why.to_string()));
    }
    let tag = tag(section);
    let told = (section.text("database"), section.read("ttl", ttl));
    let decision = section.word("decision", &Decision::WORDS);
    let certainty = section.word("certainty", &CERTAINTIES);
    let reason = section.text("reason");
    let seen = section.section("seen", "[name.seen]");
    let proposed_ttl = seen.as_ref().and_then(|seen| seen.duration("proposed_ttl"));
    let (seen, proposed) = seen.map(of_seen).unwrap_or_default();
    Some(Former {
        told: Told {
            name: name?,
            tag: tag?,
            database: told.0,
            ttl: told.1,
        },
        decision,
        certainty,
        reason,
        seen,
        proposed,
        proposed_ttl,
    })
}

fn ttl(value: &DeValue<'_>) -> Result<Duration, Wrong> {
    let ttl = value::duration("ttl", value)?;
    let mistake = match ttl {
        short if short < SHORTEST => "is shorter than a lease lasts",
        long if long > LONGEST => "is longer than a lease lasts",
        _ => return Ok(ttl),
    };
    Err(Wrong::saying(mistake).write("ttl = \"2m\", from 1s to 365days"))
}

fn tag(section: &Section<'_>) -> Option<AdvisoryTag> {
    if !section.has("key") {
        section.missing("key", "key = \"42\" or key = \"-7,-42\"");
    }
    let tag = section.read("key", key)?;
    let form = section.word("form", &FORMS);
    if let Some(form) = form.filter(|form| *form != form_of(tag)) {
        let message = format!("`form` is \"{form}\", and the key is {}", form_of(tag));
        let wrong = Wrong::saying(message);
        section.refuse("form", wrong.write(format!("form = \"{}\"", form_of(tag))));
    }
    Some(tag)
}

/// The key space, by its word in JSON.
pub(super) fn form_of(tag: AdvisoryTag) -> &'static str {
    match tag.objsubid {
        1 => "bigint",
        2 => "int4x2",
        _ => "extension",
    }
}

/// `"42"`, `"-7,-42"`, `"0/102008/5"`; as in the file of names, `42` and `[-7, -42]` too.
fn key(value: &DeValue<'_>) -> Result<AdvisoryTag, Wrong> {
    let number = |value: &DeValue<'_>| value.as_integer().map(|number| number.as_str().to_owned());
    let spelled = match value {
        DeValue::Array(halves) => {
            let halves = halves.iter().map(|half| number(half.get_ref()));
            halves
                .collect::<Option<Vec<_>>>()
                .map(|halves| halves.join(","))
        }
        other => number(other).or_else(|| other.as_str().map(str::to_owned)),
    };
    let asked = spelled.and_then(|text| text.replace('_', "").parse::<Asked>().ok());
    asked.map(|asked| asked.tag).ok_or_else(|| {
        Wrong::saying("is no key").write("key = \"42\" or key = \"-7,-42\" (two integers)")
    })
}

/// What was seen, and what was decided by it.
fn of_seen(section: Section<'_>) -> (Usage, Option<(Decision, String)>) {
    let usage = usage(&section);
    let decision = section.word("proposed_decision", &Decision::WORDS);
    let reasons = section.texts("reasons");
    // Told anew by each run.
    for told in ["remarks", "databases", "note"] {
        section.value(told);
    }
    section.finish();
    let reason = reasons.into_iter().next().unwrap_or_default();
    (usage, decision.map(|decision| (decision, reason)))
}

fn usage(section: &Section<'_>) -> Usage {
    let counts = section.read("samples", samples).unwrap_or_default();
    let modes = section.texts("modes");
    Usage {
        applications: section.texts("applications").into_iter().collect(),
        roles: section.texts("roles").into_iter().collect(),
        asked_by: section.texts("asked_by").into_iter().collect(),
        modes: modes.iter().map(|word| Mode::from_word(word)).collect(),
        scopes: section
            .words("scopes", &ScopeSeen::WORDS)
            .into_iter()
            .collect(),
        calls: section.words("calls", &Call::WORDS).into_iter().collect(),
        held_at_least: section.duration("held_at_least"),
        held_at_most: section.read("held_at_most", upper),
        idle_in_transaction: section.duration("idle_in_transaction"),
        most_waiters: section
            .whole_number("most_waiters", 0)
            .and_then(|count| usize::try_from(count).ok())
            .unwrap_or_default(),
        names_of_one_backend: section.texts("names_of_one_backend").into_iter().collect(),
        lent_to_us: section.flag("lent_to_us").unwrap_or_default(),
        seen_in: counts.0,
        samples: counts.1,
        last_seen: section.read("last_seen", moment),
    }
}

/// `3 of 600`
fn samples(value: &DeValue<'_>) -> Result<(usize, usize), Wrong> {
    let text = value::text(value)?;
    let counts = text.split_once(" of ").and_then(|(seen, of)| {
        let both: (usize, usize) = (seen.parse().ok()?, of.parse().ok()?);
        Some(both)
    });
    counts.ok_or_else(|| Wrong::saying("is no count of samples").write("samples = \"3 of 600\""))
}

fn upper(value: &DeValue<'_>) -> Result<Upper, Wrong> {
    match value.as_str() {
        Some("unknown") => Ok(Upper::Unknown),
        _ => value::duration("held_at_most", value).map(Upper::Of),
    }
}

fn moment(value: &DeValue<'_>) -> Result<SystemTime, Wrong> {
    let text = value::text(value)?;
    humantime::parse_rfc3339(&text).map_err(|error| {
        Wrong::saying(format!("is no time: {error}")).write("\"2026-11-30T09:00:00Z\"")
    })
}
