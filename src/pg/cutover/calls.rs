//! How often advisory locks were asked for, as `pg_stat_statements` counts, and why that can't be seen.

use anyhow::{Context, Result};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::statement::{CALLS, CALLS_SINCE, STATEMENTS_EXTENSION};
use super::{Cutover, length};
use crate::cutover::Calls;
use crate::pg::column::{get, required_text};
use crate::pg::lease::statement::Statement;
use crate::pg::question::{ask_unnamed, in_words};
use crate::pg::sample::{ANSWER_WITHIN, in_time, server_words};
use crate::text::sql_identifier;

impl Cutover<'_> {
    /// # Errors
    /// When the server does not answer; where it refuses, that is why they can't be seen.
    pub async fn calls(&self) -> Result<Calls> {
        in_time(ANSWER_WITHIN, self.count_calls()).await
    }

    async fn count_calls(&self) -> Result<Calls> {
        let rows = STATEMENTS_EXTENSION
            .ask(self.client, self.table, &[])
            .await?;
        let Some(row) = rows.first() else {
            return Ok(Calls::Unseen(
                "pg_stat_statements is not installed in this database".to_owned(),
            ));
        };
        let schema = required_text(row, "schema")?;
        let counted = self.ask_in(&schema, CALLS, &[&self.table.quoted()]).await;
        let row = match refused(counted)? {
            Ok(row) => row,
            Err(because) => return Ok(Calls::Unseen(because)),
        };
        let hidden: i64 = get(&row, "hidden")?;
        if hidden > 0 {
            return Ok(Calls::Unseen(format!(
                "{hidden} statements of other roles are hidden from this one: it needs pg_read_all_stats"
            )));
        }
        // Older servers, and an older version of the extension, do not say.
        let since = refused(self.ask_in(&schema, CALLS_SINCE, &[]).await)?;
        let calls: i64 = get(&row, "calls")?;
        Ok(Calls::Counted {
            calls: u64::try_from(calls).context("a count below zero came")?,
            for_so_long: match since {
                Ok(row) => length(&row, "counted_seconds")?,
                Err(_) => None,
            },
        })
    }

    async fn ask_in(&self, schema: &str, statement: Statement, values: &[&str]) -> Result<Row> {
        let quoted = format!("{}.", sql_identifier(schema));
        let sql = self.table.in_sql(statement.sql);
        let sql = sql.replace("public.", &quoted);
        let values: Vec<&(dyn ToSql + Sync)> = values
            .iter()
            .map(|value| value as &(dyn ToSql + Sync))
            .collect();
        let rows = ask_unnamed(self.client, &sql, statement.parameters, &values).await;
        let rows = rows
            .map_err(in_words)
            .with_context(|| format!("could not {}", statement.purpose))?;
        let mut rows = rows.into_iter();
        rows.next()
            .with_context(|| format!("could not {}: no row came", statement.purpose))
    }
}

/// What the server refuses is an answer of its own; that it does not answer is none.
fn refused(answer: Result<Row>) -> Result<Result<Row, String>> {
    match answer {
        Ok(row) => Ok(Ok(row)),
        Err(error) => match server_words(&error) {
            Some(words) => Ok(Err(format!("pg_stat_statements can't be read: {words}"))),
            None => Err(error),
        },
    }
}
