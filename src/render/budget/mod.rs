//! A budget's verdict for machines that show it to people: annotations, test results, code scanning,
//! a table for a pull request. The screen is in `table::budget`, the document in `json::budget`.

pub mod drawing;
pub mod github;
pub mod html;
pub mod junit;
pub mod markdown;
pub mod sarif;
pub mod svg;
mod xml;

use crate::budget::{Assessment, Level};
use crate::place::Place;

/// What is shown.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// The plan's file as it was named; `None` for a plan from the command line.
    pub file: Option<&'a str>,
    pub assessment: &'a Assessment,
    /// The least level that fails the run.
    pub fails_from: Level,
}

impl Shown<'_> {
    /// `budget.toml:9`; nothing for a plan without a file.
    pub(super) fn place(&self, place: Option<Place>) -> String {
        match (self.file, place) {
            (Some(file), Some(place)) => format!("{file}:{}", place.line),
            _ => String::new(),
        }
    }
}
