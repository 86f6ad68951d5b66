//! The old key of a name, held on a session of its own.
//!
//! A session-level lock lives as long as its session, so it needs one that nobody shares: it is never
//! taken through a pooler. That the session has ended is a definite loss: old code may have begun.

pub mod statement;

use std::time::Duration;

use anyhow::{Context, Result};
use tokio_postgres::types::ToSql;
use tokio_util::sync::CancellationToken;

use super::column::get;
use super::connect::connect;
use super::connection::Connection;
use super::cutover::key;
use super::lease::Leases;
use super::question::in_words;
use super::sample::{ANSWER_WITHIN, in_time, server_words};
use super::target::{SessionAttrs, Target};
use crate::cutover::admission::Hold;
use crate::hint::Hint;
use crate::key::AdvisoryKey;
use crate::lease::{Name, TableName};
use statement::{LOCK, LOCK_SHARED, OF_NAME, SESSION, UNLOCK};

/// SQLSTATEs of a wait that came to nothing: `lock_not_available`, `deadlock_detected`, and
/// `query_canceled`, by a limit that somebody else has set.
const BUSY: [&str; 3] = ["55P03", "40P01", "57014"];

/// A session that holds one old key, or is about to. Dropped, it ends, and the key is free.
#[derive(Debug)]
pub struct KeySession {
    connection: Connection,
    process: i32,
    ended: CancellationToken,
}

/// The old key of a name; nothing where it came from none, and where there is no such name.
///
/// # Errors
/// When the server does not answer.
pub async fn of_name(leases: &Leases<'_>, name: &Name) -> Result<Option<AdvisoryKey>> {
    let values: [&(dyn ToSql + Sync); 1] = [&name.as_str()];
    let row = OF_NAME
        .ask_one(leases.client, leases.table, &values)
        .await?;
    row.map_or(Ok(None), |row| key(&row))
}

impl KeySession {
    /// Where the target names several hosts, on the one that takes writes.
    ///
    /// # Errors
    /// When no server can be reached, and when a pooler stands before it.
    pub async fn open(target: &Target) -> Result<Self> {
        let mut target = target.clone();
        if target.session_attrs == SessionAttrs::Any {
            target.session_attrs = SessionAttrs::ReadWrite;
        }
        let mut connection = connect(&target).await?;
        let ended = connection.tells_its_end();
        let process = own_process(&connection).await?;
        Ok(Self {
            connection,
            process,
            ended,
        })
    }

    /// Waits this long at most; false: somebody has it, or waits for it before us.
    ///
    /// # Errors
    /// When the server does not answer: end the session then, since it may have the key.
    pub async fn lock(&self, key: AdvisoryKey, hold: Hold, wait: Duration) -> Result<bool> {
        let statement = match hold {
            Hold::Exclusive => LOCK,
            Hold::Shared => LOCK_SHARED,
        };
        let (single, first, second) = match key {
            AdvisoryKey::Single(key) => (Some(key), None, None),
            AdvisoryKey::Pair(first, second) => (None, Some(first), Some(second)),
        };
        let values: [&(dyn ToSql + Sync); 3] = [&single, &first, &second];
        let table = TableName::default();
        let whole = async {
            self.run(&begin(wait)).await?;
            match statement
                .ask(&self.connection.client, &table, &values)
                .await
            {
                Ok(_) => self.run("COMMIT").await.map(|()| true),
                Err(error) if is_busy(&error) => self.run("ROLLBACK").await.map(|()| false),
                Err(error) => Err(error),
            }
        };
        in_time(wait.saturating_add(ANSWER_WITHIN), whole).await
    }

    /// That the session lives, and is the one that got the key.
    ///
    /// # Errors
    /// When no answer came: nothing is known then.
    pub async fn is_ours(&self) -> Result<bool> {
        Ok(process(&self.connection).await? == self.process)
    }

    /// Leases over this session, so that what is read and written there is of the server that has the key.
    pub fn leases<'a>(&'a self, table: &'a TableName) -> Leases<'a> {
        Leases::of(&self.connection, table)
    }

    /// Comes back once the session has ended: the key is not held any more.
    pub async fn ended(&self) {
        self.ended.cancelled().await;
    }

    pub fn has_ended(&self) -> bool {
        self.ended.is_cancelled()
    }

    /// Why it ended, where the server said so.
    pub fn last_words(&self) -> Option<String> {
        self.connection
            .unasked
            .fatal()
            .map(|words| words.to_string())
    }

    /// Gives the key back; waits a second at most.
    pub async fn give_back(&self) {
        let table = TableName::default();
        let freed = UNLOCK.ask(&self.connection.client, &table, &[]);
        // What can't be asked is done by the end of the session.
        let _ = tokio::time::timeout(Duration::from_secs(1), freed).await;
    }

    /// Gives the key back, and ends the session.
    pub async fn close(self) {
        self.give_back().await;
        self.connection.close().await;
    }

    async fn run(&self, sql: &str) -> Result<()> {
        let run = self.connection.client.batch_execute(sql).await;
        run.map_err(in_words).context("could not get the old key")
    }
}

/// The limits end with the transaction; the lock, which is the session's, does not.
fn begin(wait: Duration) -> String {
    let milliseconds = wait.as_millis().clamp(1, 1_000_000_000);
    format!(
        "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = {milliseconds}"
    )
}

fn is_busy(error: &anyhow::Error) -> bool {
    server_words(error).is_some_and(|words| BUSY.contains(&words.sqlstate.as_str()))
}

async fn process(connection: &Connection) -> Result<i32> {
    let table = TableName::default();
    let asked = SESSION.ask_one(&connection.client, &table, &[]).await?;
    let row = asked.context("the server does not say which process serves the session")?;
    get(&row, "pid")
}

/// The server process of a session that nobody shares.
///
/// # Errors
/// When a pooler stands before the server.
pub(super) async fn own_process(connection: &Connection) -> Result<i32> {
    connection.refuse_admin_console()?;
    let serves = in_time(ANSWER_WITHIN, process(connection)).await?;
    match connection.named_process {
        Some(named) if named == serves => Ok(serves),
        _ => Err(Hint::error(
            "connect to the server itself: its own host and port, not the pooler's",
        )
        .context(
            "this connection leads through a pooler, which lends a session out and takes it back, and an advisory lock with it",
        )),
    }
}
