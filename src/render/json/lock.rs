//! An advisory lock and its key as JSON.

use serde::{Serialize, Serializer};

use super::value::{seconds, timestamp};
use super::wait::{OwnerObject, owners, waiting_source};
use crate::describe;
use crate::hold::{Hold, Holder};
use crate::key::{AdvisoryKey, AdvisoryTag, Sharing};
use crate::picture::Picture;
use crate::snapshot::{Lock, Owner};
use crate::waits::Wait;

/// Which lock it is. `form` is `bigint`, `int4x2` or, for a lock that no SQL function can take,
/// `extension`; the fields of the other forms are null.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct KeyObject {
    pub(super) form: &'static str,
    /// 64 bits, as a string: JavaScript's numbers end at 53.
    pub(super) key: Option<String>,
    pub(super) key1: Option<i32>,
    pub(super) key2: Option<i32>,
    pub(super) classid: u32,
    pub(super) objid: u32,
    pub(super) objsubid: i16,
    /// What the holding session itself would call, once for each time that it locked.
    pub(super) unlock: Option<String>,
}

/// A row of `pg_locks` for an advisory lock, and what is known about it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct LockObject<'a> {
    locktype: &'static str,
    database: u32,
    datname: Option<&'a str>,
    classid: u32,
    objid: u32,
    objsubid: i16,
    virtualtransaction: String,
    /// Null for a prepared transaction.
    pid: Option<i32>,
    mode: &'a str,
    granted: bool,
    waitstart: Option<String>,
    key: KeyObject,
    /// `session`, `transaction` or `unknown`; null while it waits.
    scope: Option<&'static str>,
    /// `not_in_transaction`, `survived_transaction`, `prepared` or `none`
    scope_basis: Option<&'static str>,
    held_at_least_seconds: Option<f64>,
    held_at_most_seconds: Option<f64>,
    waiting_seconds: Option<f64>,
    /// `waitstart` (exact), `query_start` (at most) or `unknown`; null for a granted lock.
    waiting_source: Option<&'static str>,
    /// Owners that hold it in a conflicting mode; empty for a granted lock.
    blocked_by: Vec<OwnerObject>,
    prepared: Option<PreparedObject>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PreparedObject {
    gid: String,
    owner: Option<String>,
    prepared_at: Option<String>,
}

pub(super) fn key(tag: AdvisoryTag, sharing: Option<Sharing>) -> KeyObject {
    let AdvisoryTag {
        classid,
        objid,
        objsubid,
    } = tag;
    let (form, key, pair) = match tag.key() {
        Some(AdvisoryKey::Single(key)) => ("bigint", Some(key.to_string()), None),
        Some(AdvisoryKey::Pair(first, second)) => ("int4x2", None, Some((first, second))),
        None => ("extension", None, None),
    };
    KeyObject {
        form,
        key,
        key1: pair.map(|(first, _)| first),
        key2: pair.map(|(_, second)| second),
        classid,
        objid,
        objsubid,
        unlock: tag
            .key()
            .zip(sharing)
            .map(|(key, sharing)| key.unlock_call(sharing)),
    }
}

/// A list of [`LockObject`]: held locks first, then waits. Each is made as it is written, since
/// there can be a hundred thousand.
pub(super) struct Locks<'a>(pub &'a Picture<'a>);

impl Serialize for Locks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(picture) = self;
        let held = picture.holds.iter().map(|hold| held(picture, hold));
        let waits = picture.advisory_waits();
        let waiting = waits.filter_map(|wait| waiting(picture, wait));
        serializer.collect_seq(held.chain(waiting))
    }
}

fn held<'a>(picture: &'a Picture<'_>, hold: &'a Hold<'_>) -> LockObject<'a> {
    LockObject {
        scope: Some(describe::scope(hold.scope)),
        scope_basis: Some(describe::scope_basis(hold.scope_basis)),
        held_at_least_seconds: hold.at_least.map(seconds),
        held_at_most_seconds: hold.at_most.map(seconds),
        prepared: prepared(hold),
        ..row(picture, hold.lock, (hold.database, hold.tag))
    }
}

fn waiting<'a>(picture: &'a Picture<'_>, wait: &'a Wait<'_>) -> Option<LockObject<'a>> {
    let target = wait.lock.target.advisory()?;
    Some(LockObject {
        waiting_seconds: wait.waiting.map(seconds),
        waiting_source: Some(waiting_source(wait.source)),
        blocked_by: owners(picture, &wait.blockers),
        ..row(picture, wait.lock, target)
    })
}

fn row<'a>(
    picture: &'a Picture<'_>,
    lock: &'a Lock,
    (database, tag): (u32, AdvisoryTag),
) -> LockObject<'a> {
    let AdvisoryTag {
        classid,
        objid,
        objsubid,
    } = tag;
    LockObject {
        locktype: "advisory",
        database,
        datname: picture.snapshot.database_name(database),
        classid,
        objid,
        objsubid,
        virtualtransaction: lock.virtualtransaction.to_string(),
        pid: lock.owner.pid(),
        mode: lock.mode.as_str(),
        granted: lock.granted,
        waitstart: lock.waitstart.and_then(timestamp),
        key: key(tag, lock.mode.sharing()),
        scope: None,
        scope_basis: None,
        held_at_least_seconds: None,
        held_at_most_seconds: None,
        waiting_seconds: None,
        waiting_source: None,
        blocked_by: Vec::new(),
        prepared: None,
    }
}

fn prepared(hold: &Hold<'_>) -> Option<PreparedObject> {
    match (hold.owner(), hold.holder) {
        (Owner::Prepared(_), Holder::Prepared(Some(prepared))) => Some(PreparedObject {
            gid: prepared.gid.clone(),
            owner: prepared.owner.clone(),
            prepared_at: timestamp(prepared.prepared_at),
        }),
        _ => None,
    }
}
