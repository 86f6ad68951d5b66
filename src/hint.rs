//! What may help, when something failed: given where it is known, shown at the door.

use std::fmt;

/// The last cause of an error.
#[derive(Debug)]
pub struct Hint(String);

impl Hint {
    /// An error to give contexts to.
    pub fn error(text: impl Into<String>) -> anyhow::Error {
        Self(text.into()).into()
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hint: {}", self.0)
    }
}

impl std::error::Error for Hint {}
