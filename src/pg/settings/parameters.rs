//! What a connection string of either kind says, and how one of its pairs is stored.

use super::keyword::{self, Keyword};
use super::values::{Source, Value, Values};

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
