//! Rows of `sql/locks.sql`.

use anyhow::{Context, Result};
use tokio_postgres::{Client, Row};

use super::column::{get, required_text, text, xid};
use super::question::{LOCKS, LOCKS_BEFORE_14};
use crate::key::AdvisoryTag;
use crate::snapshot::{Lock, LockMode, OtherTarget, Owner, Target, VirtualTransaction};

/// Reads `pg_locks`, once.
pub(super) async fn read(client: &Client, major: i32) -> Result<Vec<Lock>> {
    let question = if LOCKS.is_for(major) {
        LOCKS
    } else {
        LOCKS_BEFORE_14
    };
    let rows = question.ask(client, &[]).await?;
    rows.iter()
        .map(decode)
        .collect::<Result<_>>()
        .context("could not decode the lock table")
}

fn decode(row: &Row) -> Result<Lock> {
    let virtualtransaction: VirtualTransaction = get::<&str>(row, "virtualtransaction")?.parse()?;
    let pid: Option<i32> = get(row, "pid")?;
    Ok(Lock {
        target: target(row)?,
        mode: LockMode::from_catalog(get(row, "mode")?),
        granted: get(row, "granted")?,
        owner: pid.map_or(Owner::Prepared(virtualtransaction), Owner::Session),
        virtualtransaction,
        waitstart: get(row, "waitstart")?,
    })
}

fn target(row: &Row) -> Result<Target> {
    match get::<&str>(row, "locktype")? {
        "advisory" => Ok(Target::Advisory {
            database: get::<Option<u32>>(row, "database")?.unwrap_or(0),
            tag: AdvisoryTag {
                classid: get(row, "classid")?,
                objid: get(row, "objid")?,
                objsubid: get(row, "objsubid")?,
            },
        }),
        _ => other_target(row),
    }
}

fn other_target(row: &Row) -> Result<Target> {
    Ok(Target::Other(Box::new(OtherTarget {
        locktype: required_text(row, "locktype")?,
        database: get(row, "database")?,
        relation: get(row, "relation")?,
        page: get(row, "page")?,
        tuple: get(row, "tuple")?,
        virtualxid: text(row, "virtualxid")?,
        transactionid: xid(row, "transactionid")?,
        classid: get(row, "classid")?,
        objid: get(row, "objid")?,
        objsubid: get(row, "objsubid")?,
    })))
}
