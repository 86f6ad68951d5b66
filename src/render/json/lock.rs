//! An advisory lock and its key as JSON.

use serde::Serialize;

use super::known::{KnownObject, known};
use super::pooler::{LockPoolerObject, of_session};
use super::value::{seconds, timestamp};
use super::wait::{OwnerObject, owners, waiting_source};
use crate::describe;
use crate::expected::Keeping;
use crate::hold::{Hold, Holder};
use crate::key::{AdvisoryKey, AdvisoryTag, Sharing};
use crate::picture::{LockId, Picture};
use crate::snapshot::{Lock, Owner};
use crate::waits::Wait;

/// Which lock it is. `form` is `bigint`, `int4x2` or, for a lock that no SQL function can take,
/// `extension`; the fields of the other forms are null.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::render) struct KeyObject {
    pub(in crate::render) form: &'static str,
    /// 64 bits, as a string: JavaScript's numbers end at 53.
    pub(in crate::render) key: Option<String>,
    pub(in crate::render) key1: Option<i32>,
    pub(in crate::render) key2: Option<i32>,
    pub(in crate::render) classid: u32,
    pub(in crate::render) objid: u32,
    pub(in crate::render) objsubid: i16,
    /// What the holding session itself would call, once for each time that it locked.
    pub(in crate::render) unlock: Option<String>,
}

/// A row of `pg_locks` for an advisory lock, and what is known about it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::render) struct LockObject {
    pub(in crate::render) locktype: &'static str,
    pub(in crate::render) database: u32,
    pub(in crate::render) datname: Option<String>,
    pub(in crate::render) classid: u32,
    pub(in crate::render) objid: u32,
    pub(in crate::render) objsubid: i16,
    pub(in crate::render) virtualtransaction: String,
    /// Null for a prepared transaction.
    pub(in crate::render) pid: Option<i32>,
    pub(in crate::render) mode: String,
    pub(in crate::render) granted: bool,
    pub(in crate::render) waitstart: Option<String>,
    pub(in crate::render) key: KeyObject,
    /// Who may have taken it, the surest first.
    pub(in crate::render) known: Vec<KnownObject>,
    /// Whether the user's file says that it is meant to be held; null for a wait.
    pub(in crate::render) expected: Option<bool>,
    /// `session`, `transaction` or `unknown`; null while it waits.
    pub(in crate::render) scope: Option<&'static str>,
    /// `not_in_transaction`, `survived_transaction`, `prepared` or `none`
    pub(in crate::render) scope_basis: Option<&'static str>,
    pub(in crate::render) held_at_least_seconds: Option<f64>,
    pub(in crate::render) held_at_most_seconds: Option<f64>,
    pub(in crate::render) waiting_seconds: Option<f64>,
    /// `waitstart` (exact), `query_start` (at most) or `unknown`; null for a granted lock.
    pub(in crate::render) waiting_source: Option<&'static str>,
    /// Owners that hold it in a conflicting mode; empty for a granted lock.
    pub(in crate::render) blocked_by: Vec<OwnerObject>,
    pub(in crate::render) prepared: Option<PreparedObject>,
    /// Where its session stands in a pooler; null where no console of --pgbouncer knows it.
    pub(in crate::render) pooler: Option<LockPoolerObject>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::render) struct PreparedObject {
    pub(in crate::render) gid: String,
    pub(in crate::render) owner: Option<String>,
    pub(in crate::render) prepared_at: Option<String>,
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

/// Held locks first, then waits.
pub(in crate::render) fn locks<'a>(
    picture: &'a Picture<'a>,
) -> impl Iterator<Item = LockObject> + 'a {
    let held = picture.holds.iter().map(|hold| held(picture, hold));
    let waiting = picture
        .advisory_waits()
        .filter_map(|wait| waiting(picture, wait));
    held.chain(waiting)
}

fn held(picture: &Picture<'_>, hold: &Hold<'_>) -> LockObject {
    LockObject {
        expected: Some(is_expected(picture, hold)),
        scope: Some(describe::scope(hold.scope)),
        scope_basis: Some(describe::scope_basis(hold.scope_basis)),
        held_at_least_seconds: hold.at_least.map(seconds),
        held_at_most_seconds: hold.at_most.map(seconds),
        prepared: prepared(hold),
        ..row(picture, hold.lock, (hold.database, hold.tag))
    }
}

fn is_expected(picture: &Picture<'_>, hold: &Hold<'_>) -> bool {
    let expectation = picture.expectation(hold);
    expectation.is_some_and(|one| one.keeping == Keeping::Within)
}

fn waiting(picture: &Picture<'_>, wait: &Wait<'_>) -> Option<LockObject> {
    let target = wait.lock.target.advisory()?;
    Some(LockObject {
        waiting_seconds: wait.waiting.map(seconds),
        waiting_source: Some(waiting_source(wait.source)),
        blocked_by: owners(picture, &wait.blockers),
        ..row(picture, wait.lock, target)
    })
}

fn row(picture: &Picture<'_>, lock: &Lock, (database, tag): (u32, AdvisoryTag)) -> LockObject {
    let AdvisoryTag {
        classid,
        objid,
        objsubid,
    } = tag;
    LockObject {
        locktype: "advisory",
        database,
        datname: picture.snapshot.database_name(database).map(str::to_owned),
        classid,
        objid,
        objsubid,
        virtualtransaction: lock.virtualtransaction.to_string(),
        pid: lock.owner.pid(),
        mode: lock.mode.as_str().to_owned(),
        granted: lock.granted,
        waitstart: lock.waitstart.and_then(timestamp),
        key: key(tag, lock.mode.sharing()),
        known: known(picture.known(LockId { database, tag })),
        expected: None,
        scope: None,
        scope_basis: None,
        held_at_least_seconds: None,
        held_at_most_seconds: None,
        waiting_seconds: None,
        waiting_source: None,
        blocked_by: Vec::new(),
        prepared: None,
        pooler: of_session(picture, lock.owner.pid()),
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
