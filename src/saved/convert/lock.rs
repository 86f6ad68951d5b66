//! Rows of `pg_locks`.

use anyhow::{Context, Result};

use crate::key::AdvisoryTag;
use crate::saved::rows::LockRow;
use crate::snapshot::{Lock, LockMode, OtherTarget, Owner, Target};

pub(super) fn lock_row(lock: &Lock) -> LockRow {
    let target = match &lock.target {
        Target::Other(other) => (**other).clone(),
        Target::Advisory { database, tag } => OtherTarget {
            locktype: "advisory".to_owned(),
            database: Some(*database),
            classid: Some(tag.classid),
            objid: Some(tag.objid),
            objsubid: Some(tag.objsubid),
            ..OtherTarget::default()
        },
    };
    LockRow {
        locktype: target.locktype,
        database: target.database,
        relation: target.relation,
        page: target.page,
        tuple: target.tuple,
        virtualxid: target.virtualxid,
        transactionid: target.transactionid,
        classid: target.classid,
        objid: target.objid,
        objsubid: target.objsubid,
        virtualtransaction: lock.virtualtransaction.to_string(),
        pid: lock.owner.pid(),
        mode: lock.mode.as_str().to_owned(),
        granted: lock.granted,
        waitstart: lock.waitstart,
    }
}

pub(super) fn lock(row: LockRow) -> Result<Lock> {
    let virtualtransaction = row.virtualtransaction.parse()?;
    Ok(Lock {
        mode: LockMode::from_catalog(&row.mode),
        granted: row.granted,
        owner: row
            .pid
            .map_or(Owner::Prepared(virtualtransaction), Owner::Session),
        virtualtransaction,
        waitstart: row.waitstart,
        target: target(row)?,
    })
}

fn target(row: LockRow) -> Result<Target> {
    if row.locktype != "advisory" {
        return Ok(Target::Other(Box::new(OtherTarget {
            locktype: row.locktype,
            database: row.database,
            relation: row.relation,
            page: row.page,
            tuple: row.tuple,
            virtualxid: row.virtualxid,
            transactionid: row.transactionid,
            classid: row.classid,
            objid: row.objid,
            objsubid: row.objsubid,
        })));
    }
    let missing = |column| format!("an advisory lock without `{column}`");
    Ok(Target::Advisory {
        database: row.database.unwrap_or(0),
        tag: AdvisoryTag {
            classid: row.classid.with_context(|| missing("classid"))?,
            objid: row.objid.with_context(|| missing("objid"))?,
            objsubid: row.objsubid.with_context(|| missing("objsubid"))?,
        },
    })
}
