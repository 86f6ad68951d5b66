//! Ends one session by one guarded statement, and watches its lock go.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::column::{get, required_text};
use super::connect::{Connection, connect};
use super::failure::{ConnectFailure, ServerWords};
use super::literals::filled;
use super::observe::with_places;
use super::question::{END_SESSION, LOCKS_OF_KEY, OWNER_OF_SESSION};
use super::sample::{ANSWER_WITHIN, Sampling, in_time, server_words};
use super::settings::Resolved;
use super::transaction::{Text, Transaction};
use crate::release::{Guard, KeyLock, KeyNow};
use crate::snapshot::{LockMode, SessionState};
use crate::text::{sql_literal, sql_moment};

/// Between two looks at the lock; five seconds in all.
const PAUSES_MS: [u64; 13] = [5, 15, 30, 50, 100, 200, 400, 600, 700, 700, 700, 750, 750];

/// SQLSTATE `insufficient_privilege`.
const NO_PRIVILEGE: &str = "42501";

/// What the server made of the statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The session was told to end.
    Told,
    /// Nothing was done: it is not as it was, or has ended.
    NotAsShown,
    /// Nothing was done: our role may not.
    Forbidden(Forbidden),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forbidden {
    pub words: ServerWords,
    /// Whose session it is; `None` where that could not be read.
    pub owner: Option<SessionOwner>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionOwner {
    pub role: String,
    pub superuser: bool,
}

/// One connection for the looks and the statement: it may be the last one that the server has.
///
/// # Errors
/// [`ConnectFailure`], also when the server has no room for us.
pub async fn open(resolved: &Resolved) -> Result<Connection> {
    let connected = connect(&resolved.target).await;
    let connection = connected.map_err(|failure: ConnectFailure| {
        with_places(failure, &resolved.password_sources_tried)
    })?;
    connection.refuse_admin_console()?;
    Ok(connection)
}

/// Ends the session if all that the guard holds is still true.
///
/// # Errors
/// When the server answers with another refusal than for want of privilege, or not at all; the
/// session may have been told to end then.
pub async fn end(connection: &Connection, sampling: &Sampling, guard: &Guard) -> Result<Ending> {
    let transaction = transaction(connection, sampling);
    let answer = in_time(
        ANSWER_WITHIN,
        transaction.run(ask_to_end(transaction, guard)),
    )
    .await;
    match answer {
        Ok(true) => Ok(Ending::Told),
        Ok(false) => Ok(Ending::NotAsShown),
        Err(error) => match server_words(&error) {
            Some(words) if words.sqlstate == NO_PRIVILEGE => Ok(Ending::Forbidden(Forbidden {
                words: words.clone(),
                owner: owner(connection, guard.pid).await,
            })),
            Some(_) => Err(error),
            None => Err(error.context("could not learn whether the session was told to end")),
        },
    }
}

/// False also where the process ended between the check and the signal.
async fn ask_to_end(transaction: Transaction<'_>, guard: &Guard) -> Result<bool> {
    let state = guard.state.as_ref().map(SessionState::as_str);
    let values: [&(dyn ToSql + Sync); 9] = [
        &guard.pid,
        &guard.backend_start,
        &state,
        &guard.since,
        &guard.database,
        &guard.tag.classid,
        &guard.tag.objid,
        &guard.tag.objsubid,
        &guard.mode.as_str(),
    ];
    let rows = END_SESSION.ask(transaction.client, &values).await?;
    rows.first().map_or(Ok(false), |row| get(row, "ended"))
}

/// Only to word a refusal: where it fails, that has been said without it.
async fn owner(connection: &Connection, pid: i32) -> Option<SessionOwner> {
    let values: [&(dyn ToSql + Sync); 1] = [&pid];
    let asked = OWNER_OF_SESSION.ask(&connection.client, &values);
    let rows = in_time(ANSWER_WITHIN, asked).await.ok()?;
    let row = rows.first()?;
    Some(SessionOwner {
        role: required_text(row, "rolname").ok()?,
        superuser: get(row, "rolsuper").ok()?,
    })
}

/// Looks until the session that was told to end holds the lock no more.
///
/// # Errors
/// When it still does after five seconds, and when the server does not answer.
pub async fn wait_until_free(
    connection: &Connection,
    sampling: &Sampling,
    guard: &Guard,
) -> Result<KeyNow> {
    for pause in PAUSES_MS {
        tokio::time::sleep(Duration::from_millis(pause)).await;
        let now = key_now(connection, sampling, guard).await?;
        if !now.is_held_by(guard.pid) {
            return Ok(now);
        }
    }
    bail!(
        "pid {} was told to end, and holds the lock still after 5 s: its process has not come to \
         a point where it can stop",
        guard.pid
    )
}

async fn key_now(connection: &Connection, sampling: &Sampling, guard: &Guard) -> Result<KeyNow> {
    let transaction = transaction(connection, sampling);
    let work = async {
        let tag = guard.tag;
        let values: [&(dyn ToSql + Sync); 4] =
            [&guard.database, &tag.classid, &tag.objid, &tag.objsubid];
        let rows = LOCKS_OF_KEY.ask(transaction.client, &values).await?;
        let locks: Result<Vec<KeyLock>> = rows.iter().map(decode).collect();
        locks.context("could not decode the locks of the key")
    };
    let locks = in_time(ANSWER_WITHIN, transaction.run(work)).await?;
    Ok(KeyNow { locks })
}

fn decode(row: &Row) -> Result<KeyLock> {
    Ok(KeyLock {
        pid: get(row, "pid")?,
        mode: LockMode::from_catalog(get(row, "mode")?),
        granted: get(row, "granted")?,
    })
}

fn transaction<'a>(connection: &'a Connection, sampling: &'a Sampling) -> Transaction<'a> {
    Transaction {
        frame: connection.frame(sampling.role.as_deref()),
        client: &connection.client,
        role: sampling.role.as_deref(),
        text: Text::Converted,
    }
}

/// The statement of [`end`] for a person to run in psql: the same text, with literals where ours
/// has parameters.
pub fn statement(guard: &Guard) -> String {
    let state = guard.state.as_ref().map(SessionState::as_str);
    let literals = [
        guard.pid.to_string(),
        sql_moment(guard.backend_start),
        state.map_or("NULL".to_owned(), sql_literal),
        guard.since.map_or("NULL".to_owned(), sql_moment),
        guard.database.to_string(),
        guard.tag.classid.to_string(),
        guard.tag.objid.to_string(),
        guard.tag.objsubid.to_string(),
        sql_literal(guard.mode.as_str()),
    ];
    let text = END_SESSION
        .sql
        .lines()
        .filter(|line| !line.starts_with("--"));
    let text = text.collect::<Vec<_>>().join("\n");
    filled(&text, &literals, str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::key::AdvisoryKey;

    #[test]
    fn a_person_gets_the_same_statement_with_literals() {
        let guard = Guard {
            pid: 4711,
            backend_start: SystemTime::UNIX_EPOCH + Duration::from_micros(1_800_000_000_000_001),
            state: Some(SessionState::Idle),
            since: None,
            database: 16_384,
            tag: AdvisoryKey::Pair(-7, -42).tag(),
            mode: LockMode::Exclusive,
        };
        insta::assert_snapshot!(statement(&guard), @r"
        WITH unchanged AS MATERIALIZED (
            SELECT a.pid AS pid
            FROM pg_catalog.pg_stat_get_activity(4711) AS a
            WHERE a.pid <> pg_catalog.pg_backend_pid()
                AND a.backend_start = '2027-01-15T08:00:00.000001Z'
                AND a.state IS NOT DISTINCT FROM 'idle'
                AND CASE WHEN a.state = 'active' THEN a.query_start ELSE a.xact_start END IS NOT DISTINCT FROM NULL
                AND EXISTS (
                    SELECT FROM pg_catalog.pg_locks AS l
                    WHERE l.locktype = 'advisory'
                        AND l.granted
                        AND l.pid = a.pid
                        AND l.database = 16384
                        AND l.classid = 4294967289
                        AND l.objid = 4294967254
                        AND l.objsubid = 2
                        AND l.mode = 'ExclusiveLock'
                )
        )
        SELECT pg_catalog.pg_terminate_backend(u.pid) AS ended
        FROM unchanged AS u;
        ");
    }

    #[test]
    fn five_seconds_are_waited_in_all() {
        assert_eq!(PAUSES_MS.iter().sum::<u64>(), 5_000);
    }
}
