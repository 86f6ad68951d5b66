//! Where in a file something stands, for people to find it.

use std::fmt::Display;
use std::ops::Range;

use super::Source;

#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    source: &'a Source,
}

impl<'a> Place<'a> {
    pub(super) fn in_file(source: &'a Source) -> Self {
        Self { source }
    }

    /// `names.toml, line 3`
    pub(super) fn line(self, span: &Range<usize>) -> String {
        format!("{}, line {}", self.source.name, self.position(span.start).0)
    }

    /// What is wrong there, with the text that is.
    pub(super) fn refuse(self, span: &Range<usize>, why: impl Display) -> anyhow::Error {
        let (line, column) = self.position(span.start);
        let text = self
            .source
            .text
            .lines()
            .nth(line - 1)
            .unwrap_or_default()
            .trim();
        anyhow::anyhow!("line {line}, column {column}, `{text}`: {why}")
    }

    pub(super) fn of_toml(self, error: &toml::de::Error) -> anyhow::Error {
        match error.span() {
            Some(span) => self.refuse(&span, error.message()),
            None => anyhow::anyhow!("{}", error.message()),
        }
    }

    /// Line and column, both from 1, the column in characters.
    fn position(self, offset: usize) -> (usize, usize) {
        let before = self.source.text.get(..offset).unwrap_or(&self.source.text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        (line, before[line_start..].chars().count() + 1)
    }
}
