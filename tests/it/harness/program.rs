//! Owns the search for programs that a test can do without.

use std::env;
use std::path::PathBuf;

/// `None`, with a printed line, where it is not installed; the variable `required`, set to 1, makes that a
/// failure.
#[track_caller]
pub fn program(name: &str, required: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|path| path.exists());
    if found.is_none() {
        missing(name, required);
    }
    found
}

/// Says that something is not there, or fails where the variable `required` is 1.
#[track_caller]
pub fn missing(what: &str, required: &str) {
    let required = env::var(required).is_ok_and(|value| value == "1");
    assert!(
        !required,
        "{what} is required and not here: run `make test`"
    );
    eprintln!("skipped: {what} is not installed");
}
