//! What is wrong with a manifest, and where.

use std::fmt;

/// Where something stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub file: String,
    /// Of the file's documents, from 1.
    pub document: usize,
    /// Of the file, from 1.
    pub line: usize,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            document,
            line,
        } = self;
        write!(formatter, "{file}, document {document}, line {line}")
    }
}

/// A manifest that can't be used as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    pub origin: Origin,
    pub message: String,
    /// What to do instead.
    pub instead: Option<String>,
}

impl Mistake {
    pub(super) fn at(origin: Origin, message: impl Into<String>) -> Self {
        Self {
            origin,
            message: message.into(),
            instead: None,
        }
    }

    pub(super) fn instead(mut self, instead: impl Into<String>) -> Self {
        self.instead = Some(instead.into());
        self
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.origin, self.message)
    }
}

impl std::error::Error for Mistake {}
