//! A wait and the owners that it waits for, as JSON.

use serde::Serialize;

use super::known::{KnownObject, known};
use super::lock::{KeyObject, key};
use super::value::seconds;
use crate::describe;
use crate::picture::{LockId, Picture};
use crate::snapshot::Owner;
use crate::waits::{Wait, WaitSource};

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct WaitObject {
    pid: i32,
    locktype: String,
    /// The lock in words: `key 42 in orders`, `relation public.jobs`.
    target: String,
    /// Null for a lock that is no advisory lock.
    key: Option<KeyObject>,
    /// Who may have taken the key, the surest first.
    known: Vec<KnownObject>,
    mode: String,
    waiting_seconds: Option<f64>,
    /// `waitstart` (exact), `query_start` (at most) or `unknown`
    waiting_source: &'static str,
    /// Hard: these hold the lock in a conflicting mode.
    blocked_by: Vec<OwnerObject>,
    /// Soft: the nearest waiter ahead whose request conflicts.
    queued_behind: Option<i32>,
    /// 1 for a request that no conflicting one is queued ahead of.
    queue_position: usize,
}

/// A session by its pid, or a prepared transaction by its global id.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::render) struct OwnerObject {
    pub(in crate::render) pid: Option<i32>,
    pub(in crate::render) gid: Option<String>,
}

pub(super) fn waits(picture: &Picture<'_>) -> Vec<WaitObject> {
    let waits = picture.waits.waits().iter();
    waits.map(|one| wait(picture, one)).collect()
}

fn wait(picture: &Picture<'_>, wait: &Wait<'_>) -> WaitObject {
    let Wait {
        lock,
        pid,
        blockers,
        queued_behind,
        queue_position,
        waiting,
        source,
    } = wait;
    WaitObject {
        pid: *pid,
        locktype: lock.target.locktype().to_owned(),
        target: describe::target(picture, &lock.target),
        key: lock
            .target
            .advisory()
            .map(|(_, tag)| key(tag, lock.mode.sharing())),
        known: lock
            .target
            .advisory()
            .map_or_else(Vec::new, |(database, tag)| {
                known(picture.known(LockId { database, tag }))
            }),
        mode: lock.mode.as_str().to_owned(),
        waiting_seconds: waiting.map(seconds),
        waiting_source: waiting_source(*source),
        blocked_by: owners(picture, blockers),
        queued_behind: *queued_behind,
        queue_position: *queue_position,
    }
}

pub(super) fn owners(picture: &Picture<'_>, owners: &[Owner]) -> Vec<OwnerObject> {
    owners
        .iter()
        .map(|owner| OwnerObject {
            pid: owner.pid(),
            gid: picture
                .prepared(*owner)
                .map(|prepared| prepared.gid.clone()),
        })
        .collect()
}

pub(super) fn waiting_source(source: WaitSource) -> &'static str {
    match source {
        WaitSource::WaitStart => "waitstart",
        WaitSource::QueryStart => "query_start",
        WaitSource::Unknown => "unknown",
    }
}
