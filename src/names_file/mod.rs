//! The user's file of names and expected holders, from TOML to the values that the core judges by.
//!
//! The format is described in docs/names.md. In short:
//!
//! ```toml
//! [[name]]
//! names = ["nightly-report", "tenant-{1..500}"]
//! hash = "hashtext"            # how the application makes a key of a name
//!
//! [[name]]
//! name = "legacy import"
//! key = [7, 42]                # or the key itself
//!
//! [[expect]]
//! name = "nightly-report"      # who is meant to hold it
//! application_name = "reporter"
//! at_most = "2h"
//! ```

mod expecting;
mod naming;
mod place;

use anyhow::{Context, Result};
use serde::Deserialize;
use toml::Spanned;

use crate::expected::{Expected, Rule};
use crate::key::names::{Entry, MOST_NAMES, Names, TooMany};
use crate::key::naming::is_known_tool;
use expecting::WrittenExpectation;
use naming::WrittenName;
use place::Place;

/// A file's name and its text.
#[derive(Debug, Clone)]
pub struct Source {
    pub name: String,
    pub text: String,
}

/// What the files tell.
#[derive(Debug, Clone, Default)]
pub struct Told {
    pub names: Names,
    pub expected: Expected,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    name: Vec<Spanned<WrittenName>>,
    #[serde(default)]
    expect: Vec<Spanned<WrittenExpectation>>,
}

/// Reads all files as one.
///
/// # Errors
/// What is wrong, with its file, line and column and the text that stands there.
pub fn read(sources: &[Source]) -> Result<Told> {
    let mut entries = Vec::new();
    let mut rules = Vec::new();
    for source in sources {
        let (more, expected) =
            read_one(source).with_context(|| format!("could not use {}", source.name))?;
        entries.extend(more);
        rules.extend(expected);
    }
    let names = Names::of(entries).map_err(too_many)?;
    check_names(&rules, &names)?;
    Ok(Told {
        names,
        expected: Expected::of(rules),
    })
}

fn read_one(source: &Source) -> Result<(Vec<Entry>, Vec<Rule>)> {
    let place = Place::in_file(source);
    let written: Written = toml::from_str(&source.text).map_err(|error| place.of_toml(&error))?;
    let entries = written
        .name
        .into_iter()
        .map(|name| naming::entry(name, place));
    let rules = written
        .expect
        .into_iter()
        .map(|rule| expecting::rule(rule, place));
    Ok((
        entries.collect::<Result<_>>()?,
        rules.collect::<Result<_>>()?,
    ))
}

fn too_many(TooMany(count): TooMany) -> anyhow::Error {
    anyhow::anyhow!("the names are {count} in all; {MOST_NAMES} are the most: narrow the ranges")
}

/// A misspelled name would silently expect nothing.
fn check_names(rules: &[Rule], names: &Names) -> Result<()> {
    for rule in rules {
        if let Some(name) = rule
            .name
            .as_ref()
            .filter(|name| !is_known_tool(name) && !names.has(name))
        {
            anyhow::bail!(
                "{}: `{name}` is neither a [[name]] nor a tool of `lockaudit keys list`",
                rule.place
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
