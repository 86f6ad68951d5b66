//! Leases on the server: one statement each, autocommit, safe through a transaction-mode pooler.
//!
//! An answer is definite: granted or not, renewed or lost. An error is *unknown*: the statement may have
//! been done. Take, renew and release of the same term may be asked again then.

mod creation;
mod listen;
mod log;
pub mod statement;

use std::future::Future;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row};

use super::column::{get, required_text, text};
use super::connection::Connection;
use super::driver::Unasked;
use super::failure::ServerWords;
use crate::boot_clock;
use crate::lease::{
    Grant, Held, Holder, Left, Listed, Mode, Name, Seen, Standing, TableName, Tenure, Term, Token,
    Wanted,
};
pub use creation::{Created, create, creation_sql, grants_sql};
pub(super) use creation::{are_there, creation_steps, is_there};
pub use listen::{hush, listen};
pub use log::{history, prune};
use statement::{
    BREAK, BRIDGE, CHECK, FENCE_CHECK, LIST, NOTIFY, PROBE, RELEASE, RENEW, RENEW_MANY, TAKE,
    TAKE_WITHOUT_FLOOR,
};

/// SQLSTATEs of servers without `pg_walfile_name`: `undefined_function`, `feature_not_supported`.
const NO_TIMELINE: [&str; 2] = ["42883", "0A000"];

/// The function of the server that warns when it stops waiting; its words are in the server's language.
const WAITS_FOR_STANDBY: &str = "SyncRepWaitForLSN";

/// The leases of one table, over one session.
#[derive(Clone, Copy)]
pub struct Leases<'a> {
    pub(super) client: &'a Client,
    unasked: &'a Unasked,
    pub table: &'a TableName,
}

/// How a lease was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Floor {
    /// Tokens lie above the timeline's floor, so they rise over a failover.
    Timeline,
    /// The server does not say which timeline it is on: an asynchronous failover may grant a token again.
    None,
}

impl<'a> Leases<'a> {
    pub fn of(connection: &'a Connection, table: &'a TableName) -> Self {
        Self {
            client: &connection.client,
            unasked: &connection.unasked,
            table,
        }
    }

    /// # Errors
    /// When the server gave up waiting for its synchronous standby: what it answered is written here, may be
    /// missing there, and is unknown after a failover.
    pub(super) fn durable(&self) -> Result<()> {
        let mut notices = self.unasked.take_notices().into_iter();
        let given_up = notices.find(|words| words.routine.as_deref() == Some(WAITS_FOR_STANDBY));
        given_up.map_or(Ok(()), |words| {
            Err(anyhow::Error::new(words)).context("the server did not wait for its standby")
        })
    }

    /// Nothing: somebody else has it, or the name's mode is not the caller's; [`Leases::probe`] tells which.
    /// What is granted with nothing remaining must not be used: ask again.
    ///
    /// # Errors
    /// Unknown: it may have been granted. The same holder may ask again.
    pub async fn take(&self, wanted: &Wanted<'_>) -> Result<Option<(Grant, Floor)>> {
        let ttl = wanted.ttl.as_secs_f64();
        let values: [&(dyn ToSql + Sync); 5] = [
            &wanted.name.as_str(),
            &wanted.holder.as_str(),
            &ttl,
            &wanted.bridge.as_str(),
            &wanted.reason,
        ];
        let sent = boot_clock::now();
        let (row, floor) = match TAKE.ask_one(self.client, self.table, &values).await {
            Err(error) if has_no_timeline(&error) => {
                let again = TAKE_WITHOUT_FLOOR.ask_one(self.client, self.table, &values);
                (again.await?, Floor::None)
            }
            answer => (answer?, Floor::Timeline),
        };
        self.durable()?;
        let Some(row) = row else { return Ok(None) };
        let token = Token(get(&row, "token")?);
        Ok(Some((grant(&row, token, sent)?, floor)))
    }

    /// Who has it; nothing if nobody ever took it. Reads only.
    ///
    /// # Errors
    /// When the server does not answer.
    pub async fn probe(&self, name: &Name) -> Result<Option<Seen>> {
        let values: [&(dyn ToSql + Sync); 1] = [&name.as_str()];
        let row = PROBE.ask_one(self.client, self.table, &values).await?;
        row.as_ref().map(seen).transpose()
    }

    /// Nothing: lost for certain.
    ///
    /// # Errors
    /// Unknown: it may have been renewed. It may be asked again while it lasts.
    pub async fn renew(&self, term: &Term, ttl: Duration) -> Result<Option<Grant>> {
        let ttl = ttl.as_secs_f64();
        let values: [&(dyn ToSql + Sync); 4] = [
            &term.name.as_str(),
            &term.holder.as_str(),
            &term.token.0,
            &ttl,
        ];
        let sent = boot_clock::now();
        let row = RENEW.ask_one(self.client, self.table, &values).await?;
        self.durable()?;
        row.map(|row| grant(&row, term.token, sent)).transpose()
    }

    /// Those that are missing from the answer are lost for certain. All in one transaction.
    ///
    /// # Errors
    /// Unknown, of all: they may have been renewed.
    pub async fn renew_many(&self, terms: &[Term], ttl: Duration) -> Result<Vec<(Term, Grant)>> {
        let names: Vec<&str> = terms.iter().map(|term| term.name.as_str()).collect();
        let holders: Vec<&str> = terms.iter().map(|term| term.holder.as_str()).collect();
        let tokens: Vec<i64> = terms.iter().map(|term| term.token.0).collect();
        let ttl = ttl.as_secs_f64();
        let values: [&(dyn ToSql + Sync); 4] = [&names, &holders, &tokens, &ttl];
        let sent = boot_clock::now();
        let rows = RENEW_MANY.ask(self.client, self.table, &values).await?;
        self.durable()?;
        let by_name: std::collections::HashMap<&str, &Term> = terms
            .iter()
            .map(|term| (term.name.as_str(), term))
            .collect();
        let renewed = rows.iter().map(|row| {
            let name = required_text(row, "name")?;
            let term = by_name
                .get(name.as_str())
                .with_context(|| format!("a lease came back that was not asked for: `{name}`"))?;
            Ok(((*term).clone(), grant(row, term.token, sent)?))
        });
        renewed.collect()
    }

    /// Notes that the old key is held beside the lease: asked in mode [`Mode::Both`], once it is, and before any
    /// work. False: lost for certain, and the key is to be given back.
    ///
    /// # Errors
    /// Unknown: it may have been noted, and may be noted again.
    pub async fn bridge(&self, term: &Term) -> Result<bool> {
        let values: [&(dyn ToSql + Sync); 3] =
            [&term.name.as_str(), &term.holder.as_str(), &term.token.0];
        let row = BRIDGE.ask_one(self.client, self.table, &values).await?;
        Ok(row.is_some())
    }

    /// Whether it was the term's; false changes nothing.
    ///
    /// # Errors
    /// Unknown: it may have been released, and may be released again.
    pub async fn release(&self, term: &Term, reason: Option<&str>) -> Result<bool> {
        let values: [&(dyn ToSql + Sync); 4] = [
            &term.name.as_str(),
            &term.holder.as_str(),
            &term.token.0,
            &reason,
        ];
        let row = RELEASE.ask_one(self.client, self.table, &values).await?;
        Ok(row.is_some())
    }

    /// Tells those who listen on channel `lockaudit_lease` that a lease was given back.
    ///
    /// # Errors
    /// When the server does not answer; they will find out by looking.
    pub async fn notify(&self, name: &Name) -> Result<()> {
        let values: [&(dyn ToSql + Sync); 1] = [&name.as_str()];
        NOTIFY.ask(self.client, self.table, &values).await.map(drop)
    }

    /// Asked last before `COMMIT`, in the transaction of the work: while it is open, nobody else gets the
    /// lease. Nothing: roll back.
    ///
    /// # Errors
    /// When the server does not answer: roll back.
    pub async fn fence_check(&self, term: &Term) -> Result<Option<Left>> {
        let values: [&(dyn ToSql + Sync); 3] =
            [&term.name.as_str(), &term.holder.as_str(), &term.token.0];
        let sent = boot_clock::now();
        let row = FENCE_CHECK
            .ask_one(self.client, self.table, &values)
            .await?;
        row.as_ref().map(|row| left(row, sent)).transpose()
    }

    /// The valid lease of a name, if it is this holder's and under this token, where those are given.
    ///
    /// # Errors
    /// When the server does not answer.
    pub async fn check(
        &self,
        name: &Name,
        holder: Option<&Holder>,
        token: Option<Token>,
    ) -> Result<Option<(Term, Left)>> {
        let holder = holder.map(Holder::as_str);
        let token = token.map(|token| token.0);
        let values: [&(dyn ToSql + Sync); 3] = [&name.as_str(), &holder, &token];
        let sent = boot_clock::now();
        let Some(row) = CHECK.ask_one(self.client, self.table, &values).await? else {
            return Ok(None);
        };
        let term = Term {
            name: name.clone(),
            holder: holder_of(required_text(&row, "holder")?)?,
            token: Token(get(&row, "token")?),
        };
        Ok(Some((term, left(&row, sent)?)))
    }

    /// Takes a lease away from whoever has it, and says from whom; nothing if nobody has it.
    ///
    /// # Errors
    /// Unknown: it may have been broken.
    pub async fn break_it(&self, name: &Name, reason: &str) -> Result<Option<(Term, Standing)>> {
        let values: [&(dyn ToSql + Sync); 2] = [&name.as_str(), &reason];
        let Some(row) = BREAK.ask_one(self.client, self.table, &values).await? else {
            return Ok(None);
        };
        let term = Term {
            name: name.clone(),
            holder: holder_of(required_text(&row, "holder")?)?,
            token: Token(get(&row, "token")?),
        };
        Ok(Some((
            term,
            Standing::of_seconds(get(&row, "remaining_seconds")?),
        )))
    }

    /// All names that there are.
    ///
    /// # Errors
    /// When the server does not answer.
    pub async fn list(&self) -> Result<Vec<Listed>> {
        let rows = LIST.ask(self.client, self.table, &[]).await?;
        rows.iter().map(listed).collect()
    }
}

pub(super) fn has_no_timeline(error: &anyhow::Error) -> bool {
    let words = error
        .chain()
        .find_map(|cause| cause.downcast_ref::<ServerWords>());
    words.is_some_and(|words| NO_TIMELINE.contains(&words.sqlstate.as_str()))
}

fn grant(row: &Row, token: Token, sent: Duration) -> Result<Grant> {
    Ok(Grant {
        token,
        left: left(row, sent)?,
        mode: mode(row)?,
        bridged: get(row, "bridged")?,
    })
}

/// An answer may be long on its way, so what the server says remains is counted from before the question was sent.
fn left(row: &Row, sent: Duration) -> Result<Left> {
    let seconds: f64 = get(row, "remaining_seconds")?;
    let underway = boot_clock::now().saturating_sub(sent);
    Ok(Left {
        expires_at: get(row, "expires_at")?,
        remaining: match Standing::of_seconds(seconds) {
            Standing::Valid { remaining } => remaining.saturating_sub(underway),
            Standing::Expired { .. } => Duration::ZERO,
        },
    })
}

fn seen(row: &Row) -> Result<Seen> {
    let holder = text(row, "holder")?.map(holder_of).transpose()?;
    let held = holder.map(|holder| {
        Ok::<_, anyhow::Error>(Held {
            holder,
            standing: Standing::of_seconds(get(row, "remaining_seconds")?),
        })
    });
    Ok(Seen {
        held: held.transpose()?,
        token: Token(get(row, "token")?),
        mode: mode(row)?,
    })
}

fn listed(row: &Row) -> Result<Listed> {
    let holder = text(row, "holder")?.map(holder_of).transpose()?;
    Ok(Listed {
        name: name_of(required_text(row, "name")?)?,
        token: Token(get(row, "token")?),
        mode: mode(row)?,
        bridged: get(row, "bridged")?,
        tenure: holder.map(|holder| tenure(row, holder)).transpose()?,
    })
}

fn tenure(row: &Row, holder: Holder) -> Result<Tenure> {
    Ok(Tenure {
        holder,
        taken_at: get(row, "taken_at")?,
        held: get::<Option<f64>>(row, "held_seconds")?.map(length),
        expires_at: get(row, "expires_at")?,
        ttl: get::<Option<f64>>(row, "ttl_seconds")?.map(length),
        standing: Standing::of_seconds(get(row, "remaining_seconds")?),
    })
}

/// Never below zero, though the server's clock may have been set back.
fn length(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX)
}

pub(super) fn mode(row: &Row) -> Result<Mode> {
    let word = required_text(row, "mode")?;
    Mode::from_table(&word).with_context(|| format!("there is no mode `{word}`"))
}

pub(super) fn name_of(text: String) -> Result<Name> {
    text.parse()
        .with_context(|| format!("the table holds a name that is none: `{text}`"))
}

pub(super) fn holder_of(text: String) -> Result<Holder> {
    text.parse()
        .with_context(|| format!("the table holds a holder that is none: `{text}`"))
}

/// What comes of asking, or that nothing came within 15 seconds.
///
/// # Errors
/// The question's own, and when there is no answer: it may still be done then.
pub async fn in_time<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    super::sample::in_time(super::sample::ANSWER_WITHIN, work).await
}
