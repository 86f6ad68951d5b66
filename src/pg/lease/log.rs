//! What happened to leases: read, and cut.

use std::time::Duration;

use anyhow::{Context, Result};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::statement::{HISTORY, PRUNE};
use super::{Leases, holder_of, name_of};
use crate::lease::{Event, Name, Token};
use crate::pg::column::{get, required_text, text};

/// The newest events first, `most` of them; of one name, or of all.
///
/// # Errors
/// When the server does not answer.
pub async fn history(leases: &Leases<'_>, name: Option<&Name>, most: u32) -> Result<Vec<Event>> {
    let name = name.map(Name::as_str);
    let most = i64::from(most);
    let values: [&(dyn ToSql + Sync); 2] = [&name, &most];
    let rows = HISTORY.ask(leases.client, leases.table, &values).await?;
    rows.iter().map(event).collect()
}

/// Deletes events that are older, and says how many.
///
/// # Errors
/// Unknown: they may have been deleted.
pub async fn prune(leases: &Leases<'_>, older_than: Duration) -> Result<u64> {
    let age = older_than.as_secs_f64();
    let values: [&(dyn ToSql + Sync); 1] = [&age];
    let row = PRUNE.ask_one(leases.client, leases.table, &values).await?;
    let row = row.context("could not prune the log of leases: no count came")?;
    let events: i64 = get(&row, "events")?;
    u64::try_from(events).context("a count below zero came")
}

fn event(row: &Row) -> Result<Event> {
    Ok(Event {
        at: get(row, "at")?,
        name: name_of(required_text(row, "name")?)?,
        token: Token(get(row, "token")?),
        event: required_text(row, "event")?,
        holder: text(row, "holder")?.map(holder_of).transpose()?,
        reason: text(row, "reason")?,
    })
}
