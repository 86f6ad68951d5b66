//! The fence's one session: it holds the old keys, and everything that is said of them is asked on it.

pub mod statement;

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use tokio_util::sync::CancellationToken;

use super::column::{get, required_text, text};
use super::connection::Connection;
use super::cutover::statement::KEYS_OF_NAMES;
use super::cutover::{Cutover, Watcher, key};
use super::lease::statement::Statement;
use super::lease::{Leases, holder_of, in_time, mode, name_of};
use super::old_key::own_process;
use crate::cutover::Calls;
use crate::cutover::fence::{Fence, Fenceable, OldUser};
use crate::key::AdvisoryKey;
use crate::lease::{Bridge, Holder, Name, Standing, TableName, Term, Wanted};
use statement::{FENCES, GIVE_BACK, HOLD, OLD_USERS, PLACES, RENEW};

/// Over a session that nobody shares.
pub struct FenceSession<'a> {
    connection: Connection,
    table: &'a TableName,
    pub process: i32,
    ended: CancellationToken,
}

/// What the server says of the fence, and when.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Renewed {
    pub at: SystemTime,
    /// Granted to this session.
    pub keys: usize,
    pub lease: Lease,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lease {
    Renewed,
    /// It ran out, or somebody broke it.
    Lost,
}

impl<'a> FenceSession<'a> {
    /// # Errors
    /// When a pooler stands before the server.
    pub async fn over(mut connection: Connection, table: &'a TableName) -> Result<Self> {
        let ended = connection.tells_its_end();
        let process = own_process(&connection).await?;
        Ok(Self {
            connection,
            table,
            process,
            ended,
        })
    }

    pub async fn ended(&self) {
        self.ended.cancelled().await;
    }

    pub fn has_ended(&self) -> bool {
        self.ended.is_cancelled()
    }

    /// Why it ended, where the server said so.
    pub fn last_words(&self) -> Option<String> {
        let words = self.connection.unasked.fatal();
        words.map(|words| words.to_string())
    }

    pub async fn close(self) {
        self.connection.close().await;
    }

    pub async fn database(&self) -> Result<String> {
        self.cutover().database().await
    }

    /// The size of the lock table.
    pub async fn places(&self) -> Result<i64> {
        let rows = self.ask(PLACES, &[]).await?;
        get(rows.first().context("no row came")?, "places")
    }

    pub async fn names(&self) -> Result<Vec<Fenceable>> {
        let rows = self.ask(KEYS_OF_NAMES, &[]).await?;
        rows.iter().map(fenceable).collect()
    }

    /// Those that are held from now on. It never waits: waiting for one while others are held could lock up.
    pub async fn hold(&self, keys: &BTreeMap<Name, AdvisoryKey>) -> Result<Vec<Name>> {
        self.each(HOLD, keys).await
    }

    pub async fn give_back(&self, keys: &BTreeMap<Name, AdvisoryKey>) -> Result<Vec<Name>> {
        self.each(GIVE_BACK, keys).await
    }

    pub async fn old_users(&self, names: &[&str]) -> Result<Vec<OldUser>> {
        let rows = self.ask(OLD_USERS, &[&names]).await?;
        rows.iter().map(old_user).collect()
    }

    /// Those whose lease somebody has, or had last without giving it back.
    pub async fn fences(&self, slots: &[Name]) -> Result<Vec<Fence>> {
        let names: Vec<&str> = slots.iter().map(Name::as_str).collect();
        let rows = self.ask(FENCES, &[&names]).await?;
        rows.iter().map(fence).collect()
    }

    /// The first of these names that nobody has.
    pub async fn take(
        &self,
        slots: &[Name],
        holder: &Holder,
        ttl: Duration,
    ) -> Result<Option<Term>> {
        for name in slots {
            let wanted = Wanted {
                name,
                holder,
                ttl,
                bridge: Bridge::None,
                reason: Some("lockaudit migrate fence"),
            };
            let leases = self.leases();
            if let Some((grant, _)) = in_time(leases.take(&wanted)).await? {
                return Ok(Some(Term {
                    name: name.clone(),
                    holder: holder.clone(),
                    token: grant.token,
                }));
            }
        }
        Ok(None)
    }

    pub async fn renew(&self, term: &Term, ttl: Duration) -> Result<Renewed> {
        let ttl = ttl.as_secs_f64();
        let values: [&(dyn ToSql + Sync); 4] = [
            &term.name.as_str(),
            &term.holder.as_str(),
            &term.token.0,
            &ttl,
        ];
        let rows = self.ask(RENEW, &values).await?;
        let row = rows.first().context("no row came")?;
        let remaining: Option<f64> = get(row, "remaining_seconds")?;
        let keys: i64 = get(row, "keys")?;
        Ok(Renewed {
            at: get(row, "at")?,
            keys: usize::try_from(keys).context("a count below zero came")?,
            lease: match remaining {
                Some(_) => Lease::Renewed,
                None => Lease::Lost,
            },
        })
    }

    pub async fn release(&self, term: &Term) -> Result<bool> {
        let leases = self.leases();
        in_time(leases.release(term, Some("the fence ended"))).await
    }

    /// Writes down what is seen of old code, and that a fence looked.
    pub async fn note(&self, calls: &Calls) -> Result<()> {
        self.cutover().watch(Watcher::Fence, calls).await.map(drop)
    }

    pub async fn calls(&self) -> Result<Calls> {
        self.cutover().calls().await
    }

    fn cutover(&self) -> Cutover<'_> {
        Cutover::of(&self.connection, self.table)
    }

    fn leases(&self) -> Leases<'_> {
        Leases::of(&self.connection, self.table)
    }

    async fn each(
        &self,
        statement: Statement,
        keys: &BTreeMap<Name, AdvisoryKey>,
    ) -> Result<Vec<Name>> {
        let names: Vec<&str> = keys.keys().map(Name::as_str).collect();
        let singles: Vec<Option<i64>> = keys.values().map(|key| single(*key)).collect();
        let firsts: Vec<Option<i32>> = keys.values().map(|key| Some(pair(*key)?.0)).collect();
        let seconds: Vec<Option<i32>> = keys.values().map(|key| Some(pair(*key)?.1)).collect();
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let rows = self
            .ask(statement, &[&names, &singles, &firsts, &seconds])
            .await?;
        let mut done = Vec::new();
        for row in &rows {
            if get(row, "held")? {
                done.push(name_of(required_text(row, "name")?)?);
            }
        }
        Ok(done)
    }

    async fn ask(&self, statement: Statement, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>> {
        let asked = statement.ask(&self.connection.client, self.table, values);
        in_time(asked).await
    }
}

fn single(key: AdvisoryKey) -> Option<i64> {
    match key {
        AdvisoryKey::Single(key) => Some(key),
        AdvisoryKey::Pair(..) => None,
    }
}

fn pair(key: AdvisoryKey) -> Option<(i32, i32)> {
    match key {
        AdvisoryKey::Single(_) => None,
        AdvisoryKey::Pair(first, second) => Some((first, second)),
    }
}

fn fenceable(row: &Row) -> Result<Fenceable> {
    Ok(Fenceable {
        name: name_of(required_text(row, "name")?)?,
        mode: mode(row)?,
        key: key(row)?,
    })
}

fn old_user(row: &Row) -> Result<OldUser> {
    Ok(OldUser {
        name: name_of(required_text(row, "name")?)?,
        pid: get(row, "pid")?,
        application: text(row, "application_name")?,
        granted: get(row, "granted")?,
        since: get(row, "since")?,
    })
}

fn fence(row: &Row) -> Result<Fence> {
    Ok(Fence {
        name: name_of(required_text(row, "name")?)?,
        holder: holder_of(required_text(row, "holder")?)?,
        standing: Standing::of_seconds(get(row, "remaining_seconds")?),
    })
}
