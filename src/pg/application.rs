//! What an application does over its connections: for the lab, which plays one.

use anyhow::{Context, Result};
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use super::column;
use super::connect::Connection;
use super::question::in_words;

/// In the words of applications, since the scan shows the last statement of a session.
const TRY_LOCK: &str = "SELECT pg_try_advisory_lock(hashtext($1))";
const UNLOCK: &str = "SELECT pg_advisory_unlock(hashtext($1))";

/// One row: the advisory locks of this database, granted and waited for.
const COUNT_LOCKS: &str = "\
SELECT count(*) FILTER (WHERE l.granted) AS granted,
       count(*) FILTER (WHERE NOT l.granted) AS waiting
  FROM pg_catalog.pg_locks AS l
  JOIN pg_catalog.pg_database AS d ON d.oid = l.database
 WHERE l.locktype = 'advisory' AND d.datname = pg_catalog.current_database()";

/// Advisory locks, counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LockCount {
    pub granted: i64,
    pub waiting: i64,
}

impl Connection {
    /// Locks a name for this session, unless another one holds it: says which.
    pub async fn try_lock(&self, name: &str) -> Result<bool> {
        column::get(
            &self.one_row(TRY_LOCK, &[name]).await?,
            "pg_try_advisory_lock",
        )
    }

    /// Gives a name back: says whether this session held it.
    pub async fn unlock(&self, name: &str) -> Result<bool> {
        column::get(&self.one_row(UNLOCK, &[name]).await?, "pg_advisory_unlock")
    }

    pub async fn count_locks(&self) -> Result<LockCount> {
        let row = self.one_row(COUNT_LOCKS, &[]).await?;
        Ok(LockCount {
            granted: column::get(&row, "granted")?,
            waiting: column::get(&row, "waiting")?,
        })
    }

    /// Runs one statement and says how many rows it gave.
    pub async fn run(&self, sql: &str) -> Result<usize> {
        Ok(self.rows(sql, &[]).await?.len())
    }

    async fn one_row(&self, sql: &str, texts: &[&str]) -> Result<Row> {
        let row = self.rows(sql, texts).await?.pop();
        row.with_context(|| format!("could not run `{sql}`: it gave no row"))
    }

    async fn rows(&self, sql: &str, texts: &[&str]) -> Result<Vec<Row>> {
        let typed: Vec<(&(dyn ToSql + Sync), Type)> = texts
            .iter()
            .map(|text| (text as &(dyn ToSql + Sync), Type::TEXT))
            .collect();
        let rows = self.client.query_typed(sql, &typed).await;
        rows.map_err(in_words)
            .with_context(|| format!("could not run `{sql}`"))
    }
}
