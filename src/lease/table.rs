//! Where leases are kept: a table, and the log beside it.

use std::fmt;
use std::str::FromStr;

use crate::text::sql_identifier;

/// What the files of `sql/lease` call it.
const DEFAULT: &str = "lockaudit_lease";

/// Longer ones are cut by PostgreSQL, and the log's and its indexes' names are made of this one.
const LONGEST: usize = 63 - "_log_granted".len();

/// The table of leases; its log is called the same, with `_log` at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableName {
    /// `None`: wherever the `search_path` leads.
    pub schema: Option<String>,
    pub table: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotATable(String);

impl Default for TableName {
    fn default() -> Self {
        Self {
            schema: None,
            table: DEFAULT.to_owned(),
        }
    }
}

impl TableName {
    /// As SQL, quoted where it must be.
    pub fn quoted(&self) -> String {
        self.in_schema(&self.table)
    }

    /// The log's name as SQL.
    pub fn log_quoted(&self) -> String {
        self.in_schema(&format!("{}_log", self.table))
    }

    /// As SQL, the name of the table of what is seen of old code.
    pub fn watch_quoted(&self) -> String {
        self.in_schema(&format!("{}_watch", self.table))
    }

    fn in_schema(&self, name: &str) -> String {
        match &self.schema {
            Some(schema) => format!("{}.{}", identifier(schema), identifier(name)),
            None => identifier(name),
        }
    }

    /// The text of a file of `sql/lease` for this table, without its comments: a name may hold anything.
    pub fn in_sql(&self, sql: &str) -> String {
        let names = [
            // An index lives in its table's schema, and must not be named with one.
            (
                "lockaudit_lease_log_granted",
                identifier(&format!("{}_log_granted", self.table)),
            ),
            (
                "lockaudit_lease_log_ended",
                identifier(&format!("{}_log_ended", self.table)),
            ),
            (
                "lockaudit_lease_log_modes",
                identifier(&format!("{}_log_modes", self.table)),
            ),
            ("lockaudit_lease_log", self.log_quoted()),
            ("lockaudit_lease_watch", self.watch_quoted()),
            (DEFAULT, self.quoted()),
        ];
        let lines = sql.lines().filter(|line| !line.starts_with("--"));
        let lines: Vec<String> = lines.map(|line| replaced(line, &names)).collect();
        lines.join("\n")
    }
}

/// Each name in its place; the text that takes a place is not looked at again. A name in quotes is a
/// text of the statement's, not a table.
fn replaced(line: &str, names: &[(&str, String)]) -> String {
    let mut done = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(DEFAULT) {
        let quoted = rest[..at].ends_with('\'');
        let (word, name) = names
            .iter()
            .find(|(word, _)| rest[at..].starts_with(word))
            .expect("the last of the names is the one that was found");
        done.push_str(&rest[..at]);
        done.push_str(if quoted { word } else { name });
        rest = &rest[at + word.len()..];
    }
    done + rest
}

/// Quoted always, so that no keyword can be mistaken, but for our own names: what is printed reads as
/// the files do.
fn identifier(name: &str) -> String {
    let letters = |c: char| c.is_ascii_lowercase() || c == '_';
    match name.starts_with(DEFAULT) && name.chars().all(letters) {
        true => name.to_owned(),
        false => sql_identifier(name),
    }
}

/// `table`, `schema.table`; in double quotes a part may hold dots, and a quote is doubled.
impl FromStr for TableName {
    type Err = NotATable;

    fn from_str(text: &str) -> Result<Self, NotATable> {
        let mut parts = parts(text)?;
        let table = parts.pop().filter(|table| !table.is_empty());
        let schema = parts.pop();
        match (table, schema, parts.len()) {
            (Some(table), schema, 0) if schema.as_deref() != Some("") => named(schema, table),
            _ => Err(NotATable(format!(
                "`{text}` is not a table's name: give `table` or `schema.table`"
            ))),
        }
    }
}

fn named(schema: Option<String>, table: String) -> Result<TableName, NotATable> {
    let has_nul = |part: &String| part.contains('\0');
    if schema.as_ref().is_some_and(has_nul) || has_nul(&table) {
        return Err(NotATable("a table's name has no NUL byte".to_owned()));
    }
    if table.len() > LONGEST {
        return Err(NotATable(format!(
            "the table's name has {LONGEST} bytes at most, since the log's is made of it"
        )));
    }
    Ok(TableName { schema, table })
}

/// What stands between the dots. Unquoted letters are lower case, as in SQL.
fn parts(text: &str) -> Result<Vec<String>, NotATable> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let part = parts.last_mut().expect("there is always one");
        match (character, quoted) {
            ('"', true) if characters.next_if_eq(&'"').is_some() => part.push('"'),
            ('"', _) => quoted = !quoted,
            ('.', false) => parts.push(String::new()),
            (other, true) => part.push(other),
            (other, false) => part.extend(other.to_lowercase()),
        }
    }
    match quoted {
        true => Err(NotATable(format!(
            "`{text}` has a quote that is not closed"
        ))),
        false => Ok(parts),
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.quoted())
    }
}

impl fmt::Display for NotATable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotATable {}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> TableName {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn the_default_is_what_the_files_say() {
        let sql = "-- one row\nSELECT 1 FROM lockaudit_lease, lockaudit_lease_log;\n";
        assert_eq!(
            TableName::default().in_sql(sql),
            "SELECT 1 FROM lockaudit_lease, lockaudit_lease_log;"
        );
    }

    #[test]
    fn a_schema_and_foreign_characters_are_quoted() {
        let table = named(r#"Jobs."My ""lease"".x""#);
        assert_eq!(table.quoted(), r#""jobs"."My ""lease"".x""#);
        assert_eq!(table.log_quoted(), r#""jobs"."My ""lease"".x_log""#);
        assert_eq!(table.quoted().parse(), Ok(table));
    }

    #[test]
    fn a_name_takes_the_place_of_the_files_but_not_of_a_text() {
        let table = named(r#"a."lockaudit_lease_log; --""#);
        assert_eq!(
            table.in_sql("UPDATE lockaudit_lease AS l SET x = pg_notify('lockaudit_lease', $1)"),
            r#"UPDATE "a"."lockaudit_lease_log; --" AS l SET x = pg_notify('lockaudit_lease', $1)"#
        );
        assert_eq!(
            named("s.t").in_sql(
                "CREATE UNIQUE INDEX lockaudit_lease_log_ended ON lockaudit_lease_log (name)"
            ),
            r#"CREATE UNIQUE INDEX "t_log_ended" ON "s"."t_log" (name)"#
        );
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for text in ["", ".", "a.", ".b", "a.b.c", "\"a", &"x".repeat(60)] {
            assert!(text.parse::<TableName>().is_err(), "{text}");
        }
    }
}
