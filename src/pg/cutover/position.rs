//! Where names stand: their rows, the locks on their old keys, and what was written down of old code.

use anyhow::Result;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::statement::{LOCKS, POSITIONS};
use super::{Cutover, key, length, tables_are_missing};
use crate::cutover::{KeyLock, LiveLease, Position, Watched};
use crate::lease::{Name, Standing};
use crate::pg::column::{get, required_text, text};
use crate::pg::lease::{holder_of, mode, name_of};
use crate::snapshot::LockMode;

impl Cutover<'_> {
    /// Of one name, or of all that have an old key or had one.
    ///
    /// # Errors
    /// When the server does not answer.
    pub async fn positions(&self, name: Option<&Name>) -> Result<Vec<Position>> {
        self.in_transaction(self.read_positions(name))
            .await
            .map_err(tables_are_missing)
    }

    async fn read_positions(&self, name: Option<&Name>) -> Result<Vec<Position>> {
        let name = name.map(Name::as_str);
        let values: [&(dyn ToSql + Sync); 1] = [&name];
        let rows = POSITIONS.ask(self.client, self.table, &values).await?;
        let mut positions = rows.iter().map(position).collect::<Result<Vec<_>>>()?;
        let locks = LOCKS.ask(self.client, self.table, &[]).await?;
        for row in &locks {
            let of = required_text(row, "name")?;
            let mut positions = positions.iter_mut();
            if let Some(position) = positions.find(|position| position.name.as_str() == of) {
                position.locks.push(lock(row)?);
            }
        }
        Ok(positions)
    }
}

fn position(row: &Row) -> Result<Position> {
    Ok(Position {
        name: name_of(required_text(row, "name")?)?,
        mode: mode(row)?,
        mode_for: length(row, "mode_seconds")?,
        key: key(row)?,
        lease: lease(row)?,
        locks: Vec::new(),
        watched: watched(row)?,
    })
}

fn lease(row: &Row) -> Result<Option<LiveLease>> {
    let Some(holder) = text(row, "holder")? else {
        return Ok(None);
    };
    Ok(match Standing::of_seconds(get(row, "remaining_seconds")?) {
        Standing::Expired { .. } => None,
        Standing::Valid { remaining } => Some(LiveLease {
            holder: holder_of(holder)?,
            remaining,
            bridged: get(row, "bridged")?,
        }),
    })
}

fn watched(row: &Row) -> Result<Option<Watched>> {
    let looked = (
        length(row, "watched_seconds_ago")?,
        length(row, "quiet_seconds")?,
    );
    let (Some(ago), Some(quiet_for)) = looked else {
        return Ok(None);
    };
    Ok(Some(Watched {
        ago,
        quiet_for,
        seen_ago: length(row, "seen_seconds_ago")?,
        calls_quiet_for: length(row, "calls_quiet_seconds")?,
        fenced_ago: length(row, "fenced_seconds_ago")?,
    }))
}

fn lock(row: &Row) -> Result<KeyLock> {
    Ok(KeyLock {
        pid: get(row, "pid")?,
        application: text(row, "application_name")?,
        mode: LockMode::from_catalog(get(row, "mode")?),
        granted: get(row, "granted")?,
    })
}
