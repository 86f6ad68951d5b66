//! What is wrong with a file, shown with the line it stands in and a mark below it.

use std::fmt;
use std::ops::Range;

use crate::place::Place;
use crate::text::printable;

/// One thing that can't be used as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// What of the file it is about, in bytes.
    pub span: Range<usize>,
    pub message: String,
    /// What to write instead.
    pub instead: Option<String>,
}

/// All mistakes of one file, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistakes {
    pub file: String,
    text: String,
    mistakes: Vec<Mistake>,
}

impl Mistakes {
    pub(super) fn of(file: &str, text: &str, mut mistakes: Vec<Mistake>) -> Self {
        mistakes.sort_by_key(|mistake| mistake.span.start);
        Self {
            file: file.to_owned(),
            text: text.to_owned(),
            mistakes,
        }
    }

    /// Each with its place, for reports that show no text of the file.
    pub fn listed(&self) -> impl Iterator<Item = (Place, &Mistake)> {
        let mistakes = self.mistakes.iter();
        mistakes.map(|mistake| (place(&self.text, mistake.span.start), mistake))
    }

    fn one(&self, mistake: &Mistake, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { line, column } = place(&self.text, mistake.span.start);
        let file = printable(&self.file);
        writeln!(
            out,
            "{file}:{line}:{column}: {}",
            printable(&mistake.message)
        )?;
        if let Some(text) = self.text.lines().nth(line - 1) {
            let number = line.to_string();
            writeln!(out, "  {number} | {}", printable(text))?;
            let indent = shown_width(text, column - 1);
            let marks = "^".repeat(self.marked(mistake, text, column));
            writeln!(
                out,
                "  {:1$} | {marks:>2$}",
                "",
                number.len(),
                indent + marks.len()
            )?;
        }
        match &mistake.instead {
            Some(instead) => writeln!(out, "  write {}", printable(instead)),
            None => Ok(()),
        }
    }

    /// How many marks: to the end of the text it is about, or of the line.
    fn marked(&self, mistake: &Mistake, line: &str, column: usize) -> usize {
        let about = self.text.get(mistake.span.clone()).unwrap_or_default();
        let about = about.lines().next().unwrap_or_default();
        let rest: String = line.chars().skip(column - 1).collect();
        let room = printable(&rest).chars().count();
        printable(about).chars().count().min(room).max(1)
    }
}

impl fmt::Display for Mistakes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, mistake) in self.mistakes.iter().enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            self.one(mistake, out)?;
        }
        Ok(())
    }
}

impl std::error::Error for Mistakes {}

/// Line and column of a byte, both from 1, the column in characters.
pub(crate) fn place(text: &str, offset: usize) -> Place {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Place {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
    }
}

/// How wide the first `characters` of a line are once they are printable.
fn shown_width(line: &str, characters: usize) -> usize {
    let first: String = line.chars().take(characters).collect();
    printable(&first).chars().count()
}
