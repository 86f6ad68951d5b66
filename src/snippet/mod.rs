//! What a developer pastes: the code of one key before, and under a lease after, in their language.
//!
//! The templates are source files of their language (`data/snippets`). What differs from key to key stands
//! in them as `"{{name}}"`, and gives way, quotes and all, to a literal of that language. The SQL is the text
//! of `sql/lease`, with the parameters as the language's driver writes them.

mod language;
mod literal;
mod parameters;
mod template;

use std::time::Duration;

use crate::key::AdvisoryKey;
use crate::lease::{Bridge, Name, TableName};

pub use language::{Language, NotALanguage};
pub use parameters::{Style, Written, written};

/// What a snippet is for.
#[derive(Debug, Clone)]
pub struct Subject {
    /// What the lease is to be called.
    pub name: Name,
    /// What the code takes today.
    pub key: AdvisoryKey,
    pub table: TableName,
    pub ttl: Duration,
    /// What the new code does about the key in mode `both`.
    pub bridge: Bridge,
}

/// A statement of leases that a snippet has.
#[derive(Debug, Clone, Copy)]
pub struct Statement {
    /// Its mark in the templates, and its file's name in `sql/lease`.
    pub name: &'static str,
    pub sql: &'static str,
}

macro_rules! statement {
    ($name:literal) => {
        Statement {
            name: $name,
            sql: include_str!(concat!("../../sql/lease/", $name, ".sql")),
        }
    };
}

pub const STATEMENTS: [Statement; 5] = [
    statement!("take"),
    statement!("renew"),
    statement!("release"),
    statement!("bridge"),
    statement!("fence_check"),
];

impl Subject {
    /// One statement as `language` has it.
    pub fn statement(&self, language: Language, statement: Statement) -> Written {
        let sql = self.table.in_sql(statement.sql);
        let sql = sql.trim_end().trim_end_matches(';');
        match language {
            Language::Sql => parameters::substituted(sql, |number| self.in_psql(statement, number)),
            _ => written(sql, language.style()),
        }
    }

    /// What stands for a parameter in a script of psql: what is known, or a variable that it has by then.
    fn in_psql(&self, statement: Statement, number: usize) -> String {
        match (statement.name, number) {
            (_, 1) => literal::sql(self.name.as_str()),
            (_, 2) => ":'holder'".to_owned(),
            ("take", 3) | ("renew", 4) => seconds(self.ttl),
            ("take", 4) => literal::sql(self.bridge.as_str()),
            ("take", 5) | ("release", 4) => "NULL".to_owned(),
            _ => ":token".to_owned(),
        }
    }
}

/// The code of one key, before and after.
pub fn snippet(language: Language, subject: &Subject) -> String {
    template::filled(language, subject)
}

/// With what is below a second, if there is something.
fn seconds(duration: Duration) -> String {
    duration.as_secs_f64().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(name: &str, table: &str) -> Subject {
        Subject {
            name: name.parse().expect("a name"),
            key: AdvisoryKey::Pair(-7, 42),
            table: table.parse().expect("a table's name"),
            ttl: Duration::from_millis(1500),
            bridge: Bridge::Hold,
        }
    }

    #[test]
    fn every_mark_gives_way_and_the_comments_of_the_sql_stay_away() {
        for language in Language::ALL {
            let code = snippet(language, &subject("sweep", "lockaudit_lease"));
            assert!(!code.contains("{{"), "{language}");
            assert!(!code.contains("lockaudit_lease_log_"), "{language}");
            assert!(code.contains("pg_advisory_lock(-7, 42)"), "{language}");
            assert!(code.contains("1.5") || code.contains("1500"), "{language}");
            assert!(!code.contains("DO UPDATE locks the row"), "{language}");
        }
    }

    #[test]
    fn a_language_is_read_as_it_is_written() {
        for language in Language::ALL {
            assert_eq!(language.as_str().parse(), Ok(language));
        }
        assert_eq!("cobol".parse::<Language>(), Err(NotALanguage));
    }

    #[test]
    fn a_name_that_looks_like_a_mark_is_a_name() {
        let code = snippet(
            Language::Go,
            &subject("\"{{take.sql}}\"", "lockaudit_lease"),
        );
        assert!(code.contains(r#"name   = "\"{{take.sql}}\"""#), "{code}");
    }

    #[test]
    fn a_statement_stands_on_lines_of_its_own_unless_its_table_could_end_it() {
        let plain = snippet(Language::Python, &subject("sweep", "jobs.lease"));
        assert!(
            plain.contains("TAKE = \"\"\"\n    WITH seen AS (\n"),
            "{plain}"
        );
        let hostile = snippet(Language::Python, &subject("sweep", r#""a\""#));
        assert!(
            hostile.contains(r#"TAKE = "WITH seen AS (\n    SELECT\n"#),
            "{hostile}"
        );
    }

    #[test]
    fn only_the_names_place_is_in_the_statements_of_a_script() {
        let it = subject("it's :x", "lockaudit_lease");
        let fence = it.statement(Language::Sql, STATEMENTS[4]).sql;
        assert!(
            fence.contains("l.name = 'it''s :x' AND l.holder = :'holder' AND l.token = :token")
        );
        let release = it.statement(Language::Sql, STATEMENTS[2]).sql;
        assert!(release.contains(":'holder', NULL"), "{release}");
    }

    #[test]
    fn lines_are_as_wide_as_an_editor() {
        for language in Language::ALL {
            let code = snippet(language, &subject("sweep", "lockaudit_lease"));
            let widest = code.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(160), "{language}: {widest:?}");
        }
    }
}
