//! A connection string of either kind, read as libpq's `PQconninfoParse` reads it.
//!
//! An error says where and what, but never repeats the string: it holds the password.

use super::keyword::{self, Keyword};
use super::values::{Source, Value, Values};
use super::{conninfo, uri};

/// The parameters of one connection string.
#[derive(Debug, Default)]
pub struct ConnectionString {
    pub values: Values,
    /// Sentences about what libpq would accept, though it most likely puts a piece of the password where
    /// it would be shown: as a host or as a database. `resolve` refuses these.
    pub doubts: Vec<String>,
}

impl ConnectionString {
    /// Stores one parameter; the last one counts.
    pub(super) fn store(&mut self, keyword: &'static Keyword, text: String, source: &Source) {
        self.values.set(keyword, Value::new(text, source));
    }
}

/// libpq's rule for telling a connection string from the name of a database.
pub fn is_connection_string(text: &str) -> bool {
    uri::is_uri(text) || text.contains('=')
}

/// Reads a URI or `key=value` pairs.
///
/// # Errors
/// What libpq refuses, and bytes that are not UTF-8 once decoded. No error holds a value.
pub fn parse(text: &str, source: &Source) -> anyhow::Result<ConnectionString> {
    anyhow::ensure!(
        !text.contains('\0'),
        "{source} holds a NUL character, which no connection parameter can"
    );
    match uri::is_uri(text) {
        true => uri::parse(text, source),
        false => conninfo::parse(text, source),
    }
}

/// The keyword and value to store for a pair: `requiressl` is libpq's old word for a choice of sslmode.
pub(super) fn translate(name: &str, value: String) -> (Option<&'static Keyword>, String) {
    let mode = match value.starts_with('1') {
        true => "require",
        false => "prefer",
    };
    match name {
        "requiressl" => (keyword::find("sslmode"), mode.to_owned()),
        _ => (keyword::find(name), value),
    }
}
