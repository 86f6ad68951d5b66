//! A connection string of either kind, read as libpq's `PQconninfoParse` reads it.
//!
//! An error says where and what, but never repeats the string: it holds the password.

pub use super::parameters::ConnectionString;

use super::values::Source;
use super::{conninfo, uri};

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
