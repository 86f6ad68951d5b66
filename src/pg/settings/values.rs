//! What was said about a connection, and by whom. Holds secrets; never prints one.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use super::keyword::{Keyword, Kind, find};

/// Who said it: an error names the place to correct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A command-line flag, with its dashes.
    Flag(&'static str),
    /// A URI or conninfo string; the word tells which.
    ConnectionString(&'static str),
    ServiceFile {
        path: PathBuf,
        line: usize,
    },
    Variable(&'static str),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) | Self::Variable(name) => write!(f, "`{name}`"),
            Self::ConnectionString(place) => f.write_str(place),
            Self::ServiceFile { path, line } => write!(f, "{}, line {line}", path.display()),
        }
    }
}

#[derive(Clone, PartialEq, Eq)]
pub struct Value {
    pub text: String,
    pub source: Source,
}

impl Value {
    pub fn new(text: impl Into<String>, source: &Source) -> Self {
        Self {
            text: text.into(),
            source: source.clone(),
        }
    }
}

/// Parameters by name, each with its source.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Values(BTreeMap<&'static str, Value>);

impl Values {
    /// The value, also an empty one: libpq tells `host=''` from no `host`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        debug_assert!(find(name).is_some(), "no keyword {name}");
        self.0.get(name)
    }

    /// The value, unless it is missing or empty.
    pub fn filled(&self, name: &str) -> Option<&Value> {
        self.get(name).filter(|value| !value.text.is_empty())
    }

    pub fn filled_text(&self, name: &str) -> Option<&str> {
        self.filled(name).map(|value| value.text.as_str())
    }

    /// The last word counts.
    pub fn set(&mut self, keyword: &'static Keyword, value: Value) {
        self.0.insert(keyword.name, value);
    }

    /// The first word counts.
    pub fn set_if_absent(&mut self, keyword: &'static Keyword, value: Value) {
        self.0.entry(keyword.name).or_insert(value);
    }

    /// What `other` says replaces what is here.
    pub fn overlay(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Names and values in the order of the alphabet, secrets included: for comparing, never for printing.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.iter().map(|(name, value)| (name, shown(name, value))))
            .finish()
    }
}

fn shown<'a>(name: &str, value: &'a Value) -> &'a str {
    match find(name).map(|keyword| keyword.kind) {
        Some(Kind::Plain) => &value.text,
        _ => "…",
    }
}
