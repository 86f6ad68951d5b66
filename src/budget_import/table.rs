//! A table of a budget's file, with a comment for each number: where it comes from, or why nobody
//! knows it. Names are foreign: they are strings, and what is in a comment stays there.

use std::fmt;

use crate::text::printable;
use crate::toml_file::quoted;

/// Where the comment beside a value begins, as in the file that `budget init` writes.
const COMMENT_COLUMN: usize = 38;

const WIDTH: usize = 100;

/// A number, or the mark in its place: `budget check` refuses the mark where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Figure {
    Known(u64),
    Unknown,
}

impl Figure {
    pub(super) fn and_with(self, other: Self, sum: impl FnOnce(u64, u64) -> u64) -> Self {
        match (self, other) {
            (Self::Known(one), Self::Known(other)) => Self::Known(sum(one, other)),
            _ => Self::Unknown,
        }
    }
}

/// What a key is set to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Setting {
    Figure(Figure),
    Text(String),
    /// TOML of our own making.
    Written(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub key: &'static str,
    pub setting: Setting,
    pub comment: String,
}

/// Whether the file's reader shall see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Counts,
    /// Every line is a comment: to be taken in by hand.
    CommentedOut,
}

/// One `[[role]]` or `[[external]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) heading: &'static str,
    pub(super) name: String,
    pub(super) presence: Presence,
    /// Above the heading, each a sentence.
    pub(super) about: Vec<String>,
    /// After the name.
    pub(super) lines: Vec<Line>,
}

impl Table {
    pub(super) fn set(&mut self, key: &'static str, setting: Setting, comment: impl Into<String>) {
        self.lines.push(Line {
            key,
            setting,
            comment: comment.into(),
        });
    }

    /// The keys that wait for a person.
    pub(super) fn unknown(&self) -> impl Iterator<Item = &'static str> {
        let counts = self.presence == Presence::Counts;
        let lines = self.lines.iter().filter(move |_| counts);
        lines
            .filter(|line| line.setting == Setting::Figure(Figure::Unknown))
            .map(|line| line.key)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for sentence in &self.about {
            write_comment(out, sentence)?;
        }
        let mark = match self.presence {
            Presence::Counts => "",
            Presence::CommentedOut => "#",
        };
        writeln!(out, "{mark}{}", self.heading)?;
        writeln!(out, "{mark}name = {}", quoted(&self.name))?;
        for line in &self.lines {
            write_line(out, mark, line)?;
        }
        Ok(())
    }
}

fn write_line(out: &mut fmt::Formatter<'_>, mark: &str, line: &Line) -> fmt::Result {
    let Line {
        key,
        setting,
        comment,
    } = line;
    let setting = match setting {
        Setting::Figure(Figure::Known(number)) => number.to_string(),
        Setting::Figure(Figure::Unknown) => "\"?\"".to_owned(),
        Setting::Text(text) => quoted(text),
        Setting::Written(written) => written.clone(),
    };
    let written = format!("{mark}{key} = {setting}");
    let comment = printable(comment);
    let column = written.chars().count().max(COMMENT_COLUMN);
    if comment.is_empty() {
        return writeln!(out, "{written}");
    }
    if column + comment.chars().count() + " # ".len() <= WIDTH {
        return writeln!(out, "{written:<COMMENT_COLUMN$} # {comment}");
    }
    write_comment(out, &comment)?;
    writeln!(out, "{written}")
}

/// On as many lines as it takes.
pub(super) fn write_comment(out: &mut impl fmt::Write, sentence: &str) -> fmt::Result {
    let sentence = printable(sentence);
    let options = textwrap::Options::new(WIDTH)
        .initial_indent("# ")
        .subsequent_indent("# ");
    for line in textwrap::wrap(&sentence, options) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_comment_leaves_its_lines(text in "\\PC*|.*|[\n\r# \u{0}\u{85}\u{2028}]*") {
            let mut written = String::new();
            write_comment(&mut written, &text).expect("memory has room");
            prop_assert!(written.lines().all(|line| line.starts_with('#')), "{written:?}");
            prop_assert!(toml::from_str::<toml::Table>(&written).expect("it is TOML").is_empty());
        }
    }
}
