//! Rows of `sql/locks.sql`.

use std::collections::HashSet;
use std::pin::pin;

use anyhow::{Context, Result};
use futures_util::TryStreamExt;
use tokio_postgres::{Client, Row};

use super::column::{self, at, required_text_at, text_at, xid_at};
use super::question::{LOCKS, LOCKS_BEFORE_14, Question};
use crate::key::AdvisoryTag;
use crate::snapshot::{Lock, LockMode, OtherTarget, Owner, Target, VirtualTransaction};

/// Reads `pg_locks`, once. Each row is decoded as it comes: there can be a hundred thousand, and a
/// row as the driver keeps it takes many times the room of a lock.
pub(super) async fn read(client: &Client, major: i32) -> Result<Vec<Lock>> {
    let question = question(major);
    let mut rows = pin!(question.ask_for_many(client).await?);
    let mut columns = None;
    let mut locks = Vec::new();
    while let Some(row) = rows
        .try_next()
        .await
        .map_err(|error| question.refused(error))?
    {
        let lock = decode(&row, &mut columns).context("could not decode the lock table")?;
        locks.push(lock);
    }
    drop_the_unwanted(&mut locks);
    Ok(locks)
}

fn question(major: i32) -> Question {
    if LOCKS.is_for(major) {
        LOCKS
    } else {
        LOCKS_BEFORE_14
    }
}

/// Keeps the granted locks of other kinds only where somebody waits for them, and the transaction
/// ids of prepared transactions.
fn drop_the_unwanted(locks: &mut Vec<Lock>) {
    let waiting = locks.iter().filter(|lock| !lock.granted);
    let waited_for: HashSet<Target> = waiting
        .filter(|lock| lock.target.advisory().is_none())
        .map(|lock| lock.target.clone())
        .collect();
    locks.retain(|lock| {
        !lock.granted
            || lock.target.advisory().is_some()
            || is_own_id_of_prepared(lock)
            || waited_for.contains(&lock.target)
    });
}

fn is_own_id_of_prepared(lock: &Lock) -> bool {
    matches!(lock.owner, Owner::Prepared(_)) && lock.target.transactionid().is_some()
}

/// Where each column stands in the answer.
#[derive(Debug, Clone, Copy)]
struct Columns {
    locktype: usize,
    database: usize,
    relation: usize,
    page: usize,
    tuple: usize,
    virtualxid: usize,
    transactionid: usize,
    classid: usize,
    objid: usize,
    objsubid: usize,
    virtualtransaction: usize,
    pid: usize,
    mode: usize,
    granted: usize,
    waitstart: usize,
}

impl Columns {
    fn of(row: &Row) -> Result<Self> {
        let position = |name| column::position(row, name);
        Ok(Self {
            locktype: position("locktype")?,
            database: position("database")?,
            relation: position("relation")?,
            page: position("page")?,
            tuple: position("tuple")?,
            virtualxid: position("virtualxid")?,
            transactionid: position("transactionid")?,
            classid: position("classid")?,
            objid: position("objid")?,
            objsubid: position("objsubid")?,
            virtualtransaction: position("virtualtransaction")?,
            pid: position("pid")?,
            mode: position("mode")?,
            granted: position("granted")?,
            waitstart: position("waitstart")?,
        })
    }
}

/// The columns are looked up by name in the first row, for all rows.
fn decode(row: &Row, known: &mut Option<Columns>) -> Result<Lock> {
    let columns = match *known {
        Some(columns) => columns,
        None => *known.insert(Columns::of(row)?),
    };
    let virtualtransaction: VirtualTransaction =
        at::<&str>(row, columns.virtualtransaction)?.parse()?;
    let pid: Option<i32> = at(row, columns.pid)?;
    Ok(Lock {
        target: target(row, columns)?,
        mode: LockMode::from_catalog(at(row, columns.mode)?),
        granted: at(row, columns.granted)?,
        owner: pid.map_or(Owner::Prepared(virtualtransaction), Owner::Session),
        virtualtransaction,
        waitstart: at(row, columns.waitstart)?,
    })
}

fn target(row: &Row, columns: Columns) -> Result<Target> {
    match at::<&str>(row, columns.locktype)? {
        "advisory" => Ok(Target::Advisory {
            database: at::<Option<u32>>(row, columns.database)?.unwrap_or(0),
            tag: AdvisoryTag {
                classid: at(row, columns.classid)?,
                objid: at(row, columns.objid)?,
                objsubid: at(row, columns.objsubid)?,
            },
        }),
        _ => other_target(row, columns),
    }
}

fn other_target(row: &Row, columns: Columns) -> Result<Target> {
    Ok(Target::Other(Box::new(OtherTarget {
        locktype: required_text_at(row, columns.locktype)?,
        database: at(row, columns.database)?,
        relation: at(row, columns.relation)?,
        page: at(row, columns.page)?,
        tuple: at(row, columns.tuple)?,
        virtualxid: text_at(row, columns.virtualxid)?,
        transactionid: xid_at(row, columns.transactionid)?,
        classid: at(row, columns.classid)?,
        objid: at(row, columns.objid)?,
        objsubid: at(row, columns.objsubid)?,
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(target: Target, granted: bool, pid: i32) -> Lock {
        Lock {
            target,
            mode: LockMode::AccessExclusive,
            granted,
            owner: Owner::Session(pid),
            virtualtransaction: VirtualTransaction {
                backend: pid,
                local: 1,
            },
            waitstart: None,
        }
    }

    fn relation(oid: u32) -> Target {
        Target::Other(Box::new(OtherTarget {
            locktype: "relation".to_owned(),
            relation: Some(oid),
            ..OtherTarget::default()
        }))
    }

    fn xid(transactionid: u32) -> Target {
        Target::Other(Box::new(OtherTarget {
            locktype: "transactionid".to_owned(),
            transactionid: Some(transactionid),
            ..OtherTarget::default()
        }))
    }

    #[test]
    fn keeps_of_other_locks_what_somebody_waits_for_and_ids_of_prepared_transactions() {
        let mut own_id = lock(xid(7), true, 0);
        own_id.owner = Owner::Prepared(own_id.virtualtransaction);
        let wanted = [
            lock(relation(1), true, 10),
            lock(relation(1), false, 11),
            own_id,
        ];
        let unwanted = [lock(relation(2), true, 10), lock(xid(8), true, 10)];
        let mut locks = [wanted.as_slice(), &unwanted].concat();
        drop_the_unwanted(&mut locks);
        assert_eq!(locks, wanted);
    }
}
