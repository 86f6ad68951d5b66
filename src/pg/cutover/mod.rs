//! The migration of names on the server: where they stand, their steps, what is seen of old code.

mod apply;
mod calls;
mod functions;
mod position;
pub mod statement;

use std::collections::BTreeMap;
use std::future::Future;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row};

use super::column::{get, required_text};
use super::connection::Connection;
use super::lease::{Leases, mode, name_of};
use super::question::{SET_ROLE, in_words};
use super::sample::{ANSWER_WITHIN, in_time, server_words};
use crate::cutover::gate::{LONGEST_GAP, Moment};
use crate::cutover::{Calls, Step};
use crate::hint::Hint;
use crate::key::AdvisoryKey;
use crate::lease::{Mode, Name, TableName};
use statement::{DATABASE, DROP_WATCH, FINISH, STEP, WATCH};

pub use apply::{Applied, Wish, operator_grants_sql};
pub use functions::{MARK, Uninstalled};

/// SQLSTATE `undefined_table`.
const NO_TABLE: &str = "42P01";

/// The migration of one table's names, over one session.
#[derive(Clone, Copy)]
pub struct Cutover<'a> {
    connection: &'a Connection,
    client: &'a Client,
    table: &'a TableName,
    /// In whose name it is done, if not ours.
    role: Option<&'a str>,
}

/// What came of a step that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stepped {
    /// The mode that the name was in.
    pub was: Mode,
    /// What was seen under the row's lock.
    pub moment: Moment,
    pub moved: bool,
}

/// Who looks for old code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watcher<'a> {
    /// Somebody who only looks.
    Status,
    /// A fence, and the old keys that it holds now, shared: it proves nothing of the others.
    Fence(&'a BTreeMap<Name, AdvisoryKey>),
}

/// A name that was to be finished.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    pub name: Name,
    pub mode: Mode,
    /// As text: `42` or `(1, 2)`.
    pub key: String,
    pub mode_for: Option<Duration>,
    pub key_free: bool,
}

impl<'a> Cutover<'a> {
    pub fn of(connection: &'a Connection, table: &'a TableName) -> Self {
        Self {
            connection,
            client: &connection.client,
            table,
            role: None,
        }
    }

    /// As this role (`SET LOCAL ROLE`), if there is one.
    pub fn as_role(self, role: Option<&'a str>) -> Self {
        Self { role, ..self }
    }

    /// The connected database.
    ///
    /// # Errors
    /// When the server does not answer.
    pub async fn database(&self) -> Result<String> {
        let asked = DATABASE.ask_one(self.client, self.table, &[]);
        let row = in_time(ANSWER_WITHIN, asked).await?;
        required_text(&row.context("no row came")?, "datname")
    }

    fn leases(&self) -> Leases<'a> {
        Leases::of(self.connection, self.table)
    }

    /// Makes one step of a name, if it is in the mode that the step is from and no gate of this moment is
    /// shut. Nothing: there is no such name.
    ///
    /// # Errors
    /// When the server refuses; where it does not answer it may have been made.
    pub async fn step(
        &self,
        name: &Name,
        step: Step,
        (who, why): (&str, Option<&str>),
    ) -> Result<Option<Stepped>> {
        let (from, to) = (step.from.as_str(), step.to.as_str());
        let values: [&(dyn ToSql + Sync); 5] = [&name.as_str(), &from, &to, &who, &why];
        let row = self
            .in_transaction(STEP.ask_one(self.client, self.table, &values))
            .await;
        row.map_err(tables_are_missing)?
            .map(|row| stepped(&row))
            .transpose()
    }

    /// Looks for old code at every name in mode `both`, and writes down what was seen; gives the names whose
    /// old key somebody has, or waits for.
    ///
    /// # Errors
    /// When the server does not answer, or our role may not write it down.
    pub async fn watch(&self, watcher: Watcher<'_>, calls: &Calls) -> Result<Vec<Name>> {
        let gap = LONGEST_GAP.as_secs_f64();
        let counted = match calls {
            Calls::Counted { calls, .. } => Some(i64::try_from(*calls).context("too many calls")?),
            Calls::Unseen(_) => None,
        };
        let fenced: Vec<&str> = match watcher {
            Watcher::Status => Vec::new(),
            Watcher::Fence(held) => held.keys().map(Name::as_str).collect(),
        };
        let values: [&(dyn ToSql + Sync); 3] = [&gap, &counted, &fenced];
        let rows = self
            .in_transaction(WATCH.ask(self.client, self.table, &values))
            .await
            .map_err(tables_are_missing)?;
        let mut seen = Vec::new();
        for row in &rows {
            if get(row, "used")? {
                seen.push(name_of(required_text(row, "name")?)?);
            }
        }
        Ok(seen)
    }

    /// Forgets all old keys, if each name has been in mode `lease` for `period` and its key is free, and
    /// removes what was only for the migration. The names, and whether it was done.
    ///
    /// # Errors
    /// When the server refuses; where it does not answer it may have been done.
    pub async fn finish(&self, period: Duration, who: &str) -> Result<(Vec<Finished>, bool)> {
        let seconds = period.as_secs_f64();
        let values: [&(dyn ToSql + Sync); 2] = [&seconds, &who];
        let work = async {
            let (names, done) = self.judge_and_forget(&values).await?;
            if done {
                DROP_WATCH.ask(self.client, self.table, &[]).await?;
            }
            Ok((names, done))
        };
        self.in_transaction(work).await.map_err(tables_are_missing)
    }

    /// What [`Cutover::finish`] would judge by: its statement, taken back.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn finishable(&self, period: Duration) -> Result<Vec<Finished>> {
        let seconds = period.as_secs_f64();
        let values: [&(dyn ToSql + Sync); 2] = [&seconds, &"nobody"];
        let work = async {
            self.run("SAVEPOINT before").await?;
            let (names, _) = self.judge_and_forget(&values).await?;
            self.run("ROLLBACK TO SAVEPOINT before").await?;
            Ok(names)
        };
        self.in_transaction(work).await.map_err(tables_are_missing)
    }

    async fn judge_and_forget(
        &self,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<(Vec<Finished>, bool)> {
        let rows = FINISH.ask(self.client, self.table, values).await?;
        let all = rows.iter().map(|row| get(row, "finished"));
        let all: Vec<bool> = all.collect::<Result<_>>()?;
        let done = !all.is_empty() && all.into_iter().all(|finished| finished);
        let names = rows.iter().map(finished).collect::<Result<_>>()?;
        Ok((names, done))
    }

    /// Does it whole or not at all, and waits for no lock longer than three seconds.
    async fn in_transaction<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let begin = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '3s'";
        let whole = async {
            self.run(begin)
                .await
                .context("could not begin a transaction")?;
            if let Some(role) = self.role {
                SET_ROLE.ask(self.client, &[&role]).await?;
            }
            match work.await {
                Ok(done) => {
                    let ended = self.run("COMMIT").await;
                    ended.context("could not learn whether it was done")?;
                    self.leases().durable()?;
                    Ok(done)
                }
                Err(error) => {
                    // The error says more than a failure to roll back, which the session's end makes good.
                    let _ = self.run("ROLLBACK").await;
                    Err(error)
                }
            }
        };
        in_time(ANSWER_WITHIN, whole).await
    }

    async fn run(&self, sql: &str) -> Result<()> {
        self.client.batch_execute(sql).await.map_err(in_words)
    }
}

/// What to do when nobody has made the tables.
pub fn tables_are_missing(error: anyhow::Error) -> anyhow::Error {
    match server_words(&error) {
        Some(words) if words.sqlstate == NO_TABLE => {
            let hint = "one begins with `lockaudit migrate apply`, its tables are named by --table, \
                        and how a finished one ended is in `lockaudit lease history`";
            Hint::error(hint)
                .context(words.to_string())
                .context("there is no migration here")
        }
        _ => error,
    }
}

fn stepped(row: &Row) -> Result<Stepped> {
    Ok(Stepped {
        was: mode(row)?,
        moment: Moment {
            key_known: get(row, "key_known")?,
            key_free: get(row, "key_free")?,
            bridged: get(row, "bridged")?,
        },
        moved: get(row, "moved")?,
    })
}

fn finished(row: &Row) -> Result<Finished> {
    Ok(Finished {
        name: name_of(required_text(row, "name")?)?,
        mode: mode(row)?,
        key: required_text(row, "key")?,
        mode_for: length(row, "mode_seconds")?,
        key_free: get(row, "key_free")?,
    })
}

/// A length of time by the server's clock, which may have been set back.
fn length(row: &Row, column: &str) -> Result<Option<Duration>> {
    let seconds: Option<f64> = get(row, column)?;
    Ok(seconds
        .map(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX)))
}

/// The old key of a row.
pub(super) fn key(row: &Row) -> Result<Option<AdvisoryKey>> {
    let single: Option<i64> = get(row, "key")?;
    let pair: (Option<i32>, Option<i32>) = (get(row, "key1")?, get(row, "key2")?);
    Ok(match (single, pair) {
        (Some(key), _) => Some(AdvisoryKey::Single(key)),
        (None, (Some(first), Some(second))) => Some(AdvisoryKey::Pair(first, second)),
        (None, _) => None,
    })
}
