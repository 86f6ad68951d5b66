//! Every statement of every snippet, as its driver sends it, on every major.

use lockaudit::lease::TableName;
use lockaudit::pg::lease::{Leases, create};
use lockaudit::snippet::{Language, STATEMENTS, Statement, Style, Subject, Written, snippet};
use tokio_postgres::types::ToSql;

use super::{hostile, open, subject};
use crate::destination::runtime;
use crate::harness::Server;

/// A driver's part: its places become the server's `$1`.
fn as_sent(written: &Written, style: Style, table: &TableName) -> String {
    let name = match style {
        Style::Percent => table.quoted().replace('%', "%%"),
        _ => table.quoted(),
    };
    let mut sql = written.sql.replace(name.trim_end_matches('"'), "<table>");
    let mut order = written.order.iter();
    while let Some(place) = match style {
        Style::Question => sql.find('?').map(|at| at..at + 1),
        _ => None,
    } {
        let number = order.next().expect("each place has its value");
        sql.replace_range(place, &format!("${number}"));
    }
    for number in (1..=5).rev() {
        let place = match style {
            Style::Percent => format!("%(p{number})s"),
            Style::At => format!("@p{number}"),
            Style::Colon => format!(":p{number}"),
            Style::Numbered | Style::Question | Style::Psql => continue,
        };
        sql = sql.replace(&place, &format!("${number}"));
    }
    sql.replace("<table>", table.quoted().trim_end_matches('"'))
}

struct Life<'a> {
    connection: &'a lockaudit::pg::connect::Connection,
    language: Language,
    subject: &'a Subject,
}

impl Life<'_> {
    /// How many rows came, and the token of the first, if it has one. The server says of which types the
    /// parameters are, as it says to drivers that send none.
    async fn asks(&self, name: &str, values: &[&(dyn ToSql + Sync)]) -> (usize, Option<i64>) {
        let statement = named(name);
        let written = self.subject.statement(self.language, statement);
        let sql = as_sent(&written, self.language.style(), &self.subject.table);
        let rows = self.connection.client.query(&sql, values).await;
        let rows =
            rows.unwrap_or_else(|error| panic!("{} {name}: {error:#}\n{sql}", self.language));
        let token = rows.first().and_then(|row| row.try_get("token").ok());
        (rows.len(), token)
    }

    async fn leads(&self) {
        let name = self.subject.name.as_str();
        let none = None::<&str>;
        let (rows, token) = self
            .asks("take", &[&name, &"a:1:b", &60.0, &"none", &none])
            .await;
        let token = token.expect("it is granted");
        assert_eq!(rows, 1);
        let other = self
            .asks("take", &[&name, &"c:1:d", &60.0, &"none", &none])
            .await;
        assert_eq!(other.0, 0, "somebody has it");
        assert_eq!(
            self.asks("renew", &[&name, &"a:1:b", &token, &60.0])
                .await
                .0,
            1
        );
        assert_eq!(self.asks("bridge", &[&name, &"a:1:b", &token]).await.0, 1);
        assert_eq!(
            self.asks("fence_check", &[&name, &"a:1:b", &token]).await.0,
            1
        );
        assert_eq!(
            self.asks("renew", &[&name, &"c:1:d", &token, &60.0])
                .await
                .0,
            0
        );
        assert_eq!(
            self.asks("release", &[&name, &"a:1:b", &token, &none])
                .await
                .0,
            1
        );
        for gone in ["bridge", "fence_check"] {
            assert_eq!(
                self.asks(gone, &[&name, &"a:1:b", &token]).await.0,
                0,
                "{gone}"
            );
        }
    }
}

fn named(name: &str) -> Statement {
    let mut statements = STATEMENTS.into_iter();
    statements.find(|it| it.name == name).expect("there is one")
}

#[test]
fn every_drivers_form_leads_a_lease_through_its_life_on_every_major() {
    Server::each(|server| {
        for subject in [subject(), hostile()] {
            let db = server.database("snippets");
            runtime().block_on(async {
                let connection = open(&db).await;
                if let Some(schema) = &subject.table.schema {
                    let schema = format!("CREATE SCHEMA \"{}\"", schema.replace('"', "\"\""));
                    connection
                        .client
                        .batch_execute(&schema)
                        .await
                        .expect("it can be made");
                }
                let made = create(&Leases::of(&connection, &subject.table)).await;
                made.expect("the tables can be made");
                for language in Language::ALL.into_iter().filter(|it| *it != Language::Sql) {
                    let life = Life {
                        connection: &connection,
                        language,
                        subject: &subject,
                    };
                    life.leads().await;
                }
            });
        }
    });
}

/// What is executed above is what stands in the code, line by line.
#[test]
fn a_snippet_holds_the_statements_that_were_executed() {
    for language in Language::ALL {
        let code = snippet(language, &subject());
        let lines: Vec<&str> = code.lines().map(str::trim).collect();
        for statement in STATEMENTS {
            let sql = subject().statement(language, statement).sql;
            let wanted: Vec<&str> = sql.lines().map(str::trim).collect();
            let last = wanted.len() - 1;
            let found = lines.windows(wanted.len()).any(|lines| {
                lines[..last] == wanted[..last] && lines[last].starts_with(wanted[last])
            });
            assert!(found, "{language}: {}\n{code}", statement.name);
        }
    }
}
