//! Begins a migration: the tables, a row a name under its old key, and functions if they are wanted.
//! All in one transaction; whatever is there stays as it is, or is refused.

use anyhow::Result;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::statement::{CREATION, KEYS_OF_NAMES, SEED};
use super::{Cutover, key};
use crate::cutover::seed::{self, Conflict, Seed};
use crate::hint::Hint;
use crate::key::AdvisoryKey;
use crate::lease::{Name, TableName};
use crate::pg::column::required_text;
use crate::pg::lease::{are_there, creation_steps, is_there, mode, name_of};
use crate::pg::literals::filled;
use crate::text::{sql_identifier, sql_literal};

const WATCH: [(&str, &str); 7] = [
    ("name", "text"),
    ("watched_at", "timestamp with time zone"),
    ("quiet_since", "timestamp with time zone"),
    ("seen_at", "timestamp with time zone"),
    ("calls", "bigint"),
    ("calls_since", "timestamp with time zone"),
    ("fenced_at", "timestamp with time zone"),
];

/// What is to be done beside the tables.
#[derive(Debug, Clone, Copy)]
pub struct Wish<'a> {
    pub seeds: &'a [Seed],
    /// For the log.
    pub who: &'a str,
    pub functions: bool,
}

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Applied {
    pub tables: bool,
    /// The names that were not there before.
    pub seeded: Vec<Name>,
    pub were_there: Vec<Name>,
    pub functions: bool,
}

impl Cutover<'_> {
    /// # Errors
    /// When something that is there is not ours, or differs; nothing was done then.
    pub async fn apply(&self, wish: Wish<'_>) -> Result<Applied> {
        self.in_transaction(self.do_apply(wish)).await
    }

    async fn do_apply(&self, wish: Wish<'_>) -> Result<Applied> {
        let missing = self.missing_tables_sql().await?;
        if !missing.is_empty() {
            self.run(&missing)
                .await
                .map_err(|error| error.context("could not create the tables"))?;
        }
        let mut applied = Applied {
            tables: !missing.is_empty(),
            functions: wish.functions,
            ..Applied::default()
        };
        for seed in wish.seeds {
            let made = self.seed(seed, wish.who).await?;
            let list = if made {
                &mut applied.seeded
            } else {
                &mut applied.were_there
            };
            list.push(seed.name.clone());
        }
        refuse(seed::conflicts(wish.seeds, &self.rows().await?))?;
        if wish.functions {
            let sql = self.functions_sql().await?;
            self.run(&sql)
                .await
                .map_err(|error| error.context("could not create the functions"))?;
        }
        Ok(applied)
    }

    /// The SQL that [`Cutover::apply`] would run now.
    ///
    /// # Errors
    /// As [`Cutover::apply`].
    pub async fn apply_sql(&self, wish: Wish<'_>) -> Result<String> {
        let work = async {
            let missing = self.missing_tables_sql().await?;
            let rows = match are_there(&self.leases()).await? {
                true => self.rows().await?,
                false => Vec::new(),
            };
            refuse(seed::conflicts(wish.seeds, &rows))?;
            let seeds = wish.seeds.iter().map(|seed| self.seed_sql(seed, wish.who));
            let mut steps = vec![
                "BEGIN ISOLATION LEVEL READ COMMITTED;".to_owned(),
                "SET LOCAL lock_timeout = '3s';".to_owned(),
                missing,
            ];
            steps.extend(seeds);
            if wish.functions {
                steps.push(self.functions_sql().await?);
            }
            steps.push("COMMIT;".to_owned());
            steps.retain(|step| !step.is_empty());
            Ok(steps.join("\n"))
        };
        self.in_transaction(work).await
    }

    async fn missing_tables_sql(&self) -> Result<String> {
        let leases = self.leases();
        let mut steps = Vec::new();
        if !are_there(&leases).await? {
            steps.push(creation_steps(self.table));
        }
        if !is_there(&leases, &self.table.watch_quoted(), &WATCH).await? {
            let creation = CREATION.iter();
            steps.extend(creation.map(|step| self.table.in_sql(step.sql)));
        }
        Ok(steps.join("\n"))
    }

    async fn seed(&self, seed: &Seed, who: &str) -> Result<bool> {
        let (single, first, second) = columns(seed.key);
        let values: [&(dyn ToSql + Sync); 5] =
            [&seed.name.as_str(), &single, &first, &second, &who];
        let row = SEED.ask_one(self.client, self.table, &values).await?;
        Ok(row.is_some())
    }

    fn seed_sql(&self, seed: &Seed, who: &str) -> String {
        let (single, first, second) = columns(seed.key);
        let null = || "NULL".to_owned();
        let literals = [
            sql_literal(seed.name.as_str()),
            // A bare number that begins with a minus is an expression of two parts.
            single.map_or_else(null, |key| format!("'{key}'")),
            first.map_or_else(null, |key| format!("'{key}'")),
            second.map_or_else(null, |key| format!("'{key}'")),
            sql_literal(who),
        ];
        let lines = SEED.sql.lines().filter(|line| !line.starts_with("--"));
        // Piece by piece: neither a name nor the table's is looked at for the other.
        let lines = lines.map(|line| filled(line, &literals, |part| self.table.in_sql(part)));
        lines.collect::<Vec<_>>().join("\n")
    }

    async fn rows(&self) -> Result<Vec<seed::Row>> {
        let rows = KEYS_OF_NAMES.ask(self.client, self.table, &[]).await?;
        rows.iter().map(row_of).collect()
    }
}

/// What a role needs to lead a migration that is begun: `advance`, `rollback`, `status`; `finish` is its owner's.
pub fn operator_grants_sql(table: &TableName, role: &str) -> String {
    let role_quoted = sql_identifier(role);
    format!(
        "{}\nGRANT SELECT, INSERT, UPDATE ON {} TO {role_quoted};",
        crate::pg::lease::grants_sql(table, role),
        table.watch_quoted()
    )
}

fn refuse(conflicts: Vec<Conflict>) -> Result<()> {
    if conflicts.is_empty() {
        return Ok(());
    }
    let hint = "nothing was changed: give another name in the file, or leave it out";
    let conflicts = conflicts.into_iter().rev();
    Err(conflicts
        .fold(Hint::error(hint), |error, conflict| error.context(conflict))
        .context("the file and the table do not agree"))
}

fn row_of(row: &Row) -> Result<seed::Row> {
    Ok(seed::Row {
        name: name_of(required_text(row, "name")?)?,
        mode: mode(row)?,
        key: key(row)?,
    })
}

fn columns(key: AdvisoryKey) -> (Option<i64>, Option<i32>, Option<i32>) {
    match key {
        AdvisoryKey::Single(key) => (Some(key), None, None),
        AdvisoryKey::Pair(first, second) => (None, Some(first), Some(second)),
    }
}
