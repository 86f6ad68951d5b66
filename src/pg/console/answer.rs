//! One answer of a console: text in rows, its columns found by their names.

use anyhow::{Context, Result};
use tokio_postgres::SimpleQueryMessage;

/// The rows of a `SHOW`. Columns move and come from version to version, so no place means anything.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Answer {
    /// `SHOW SERVERS`, for errors.
    pub command: &'static str,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<Option<String>>>,
}

/// One row, and what its columns are called.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnswerRow<'a> {
    answer: &'a Answer,
    cells: &'a [Option<String>],
}

impl Answer {
    pub fn of(command: &'static str, messages: &[SimpleQueryMessage]) -> Self {
        let mut answer = Self {
            command,
            ..Self::default()
        };
        for message in messages {
            match message {
                SimpleQueryMessage::RowDescription(columns) => {
                    answer.columns = columns.iter().map(|it| it.name().to_owned()).collect();
                }
                SimpleQueryMessage::Row(row) => {
                    let cells = (0..row.len()).map(|at| row.get(at).map(str::to_owned));
                    answer.rows.push(cells.collect());
                }
                _ => {}
            }
        }
        answer
    }

    pub fn rows(&self) -> impl Iterator<Item = AnswerRow<'_>> {
        self.rows.iter().map(|cells| AnswerRow {
            answer: self,
            cells,
        })
    }
}

impl<'a> AnswerRow<'a> {
    /// What a column holds; `None` where the version has no such column, or nothing is in it.
    pub fn maybe(&self, column: &str) -> Option<&'a str> {
        let mut columns = self.answer.columns.iter();
        let at = columns.position(|name| name == column)?;
        let text = self.cells.get(at)?.as_deref()?;
        (!text.is_empty()).then_some(text)
    }

    /// What a column that every version has holds; empty text where nothing is in it.
    ///
    /// # Errors
    /// When there is no such column.
    pub fn text(&self, column: &str) -> Result<&'a str> {
        let known = self.answer.columns.iter().any(|name| name == column);
        let lacking = || format!("{} has no column `{column}`", self.answer.command);
        known
            .then(|| self.maybe(column).unwrap_or(""))
            .with_context(lacking)
    }

    /// A number that may be missing.
    ///
    /// # Errors
    /// When what is there is none.
    pub fn maybe_number<T: std::str::FromStr>(&self, column: &str) -> Result<Option<T>> {
        let read = |text: &str| {
            text.parse().ok().with_context(|| {
                format!(
                    "{} has `{text}` in the column `{column}`, where a number should be",
                    self.answer.command
                )
            })
        };
        self.maybe(column).map(read).transpose()
    }

    /// A number that every version has.
    ///
    /// # Errors
    /// When it is not there.
    pub fn number<T: std::str::FromStr>(&self, column: &str) -> Result<T> {
        self.maybe_number(column)?
            .with_context(|| format!("{} has no number in `{column}`", self.answer.command))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> Answer {
        let cell = |text: &str| Some(text.to_owned());
        Answer {
            command: "SHOW SERVERS",
            columns: ["link", "remote_pid"].map(str::to_owned).to_vec(),
            rows: vec![
                vec![cell(""), cell("42")],
                vec![cell("0x1"), cell("many")],
                vec![None],
            ],
        }
    }

    #[test]
    fn a_column_is_found_by_its_name_and_empty_is_nothing() {
        let answer = answer();
        let rows: Vec<_> = answer.rows().collect();
        assert_eq!(rows[0].maybe("link"), None);
        assert_eq!(rows[1].maybe("link"), Some("0x1"));
        assert_eq!(rows[0].maybe("id"), None);
        assert_eq!(rows[0].number::<i32>("remote_pid").ok(), Some(42));
        assert_eq!(rows[2].maybe("remote_pid"), None, "a short row");
    }

    #[test]
    fn what_is_not_there_is_an_error_that_names_it() {
        let answer = answer();
        let rows: Vec<_> = answer.rows().collect();
        let said = |error: anyhow::Error| error.to_string();
        assert_eq!(
            rows[0].text("ptr").map_err(said),
            Err("SHOW SERVERS has no column `ptr`".to_owned())
        );
        assert_eq!(
            rows[1].number::<i32>("remote_pid").map_err(said),
            Err(
                "SHOW SERVERS has `many` in the column `remote_pid`, where a number should be"
                    .to_owned()
            )
        );
    }
}
