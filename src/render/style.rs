//! Colour and width. Meaning never depends on either.

use owo_colors::OwoColorize;

use crate::finding::Severity;

/// Whether escape codes may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    Plain,
    Ansi,
}

/// How to write for people.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    pub colour: Colour,
    /// Columns of the screen; `None` when nobody looks at one: tables are not cut then.
    pub width: Option<u16>,
}

impl Style {
    /// Prose is hard to read in longer lines, and 80 columns is what a pipe gets.
    pub fn prose_width(self) -> usize {
        usize::from(self.width.unwrap_or(80).clamp(20, 110))
    }

    pub fn heading(self, text: &str) -> String {
        match self.colour {
            Colour::Plain => text.to_owned(),
            Colour::Ansi => text.bold().to_string(),
        }
    }

    pub fn severity(self, severity: Severity, text: &str) -> String {
        match (self.colour, severity) {
            (Colour::Plain, _) => text.to_owned(),
            (Colour::Ansi, Severity::Critical) => text.red().bold().to_string(),
            (Colour::Ansi, Severity::Warning) => text.yellow().bold().to_string(),
            (Colour::Ansi, Severity::Info) => text.cyan().bold().to_string(),
        }
    }

    pub fn well(self, text: &str) -> String {
        match self.colour {
            Colour::Plain => text.to_owned(),
            Colour::Ansi => text.green().bold().to_string(),
        }
    }

    /// What can be typed.
    pub fn command(self, text: &str) -> String {
        match self.colour {
            Colour::Plain => text.to_owned(),
            Colour::Ansi => text.cyan().to_string(),
        }
    }
}
