//! A pool as JSON.

use serde::Serialize;

use super::value::seconds;
use crate::picture::Picture;
use crate::pool::{Pool, PoolKey, Starvation};

/// Sessions of one database, role, application and client.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct PoolObject {
    datname: Option<String>,
    usename: Option<String>,
    application_name: Option<String>,
    client_addr: Option<String>,
    /// The console of the pooler in between, where one showed it: application and address are then those
    /// of the pooler's client, `unix` for a Unix socket, and null where no client has the connections.
    pooler: Option<String>,
    /// Connections to the pooler that have none to the server at the moment, and want none; null
    /// without a pooler.
    free_clients: Option<usize>,
    /// As it was told; null when it was not.
    size: Option<u32>,
    open: usize,
    /// Sessions that hold an advisory lock and do nothing.
    pinned: Vec<i32>,
    /// Sessions that wait for an advisory lock.
    waiting: Vec<i32>,
    /// Those of them whose lock a session of this same pool holds.
    waiting_on_itself: Vec<i32>,
    /// Sessions whose state is hidden and that hold no advisory lock.
    hidden: usize,
    stuck_for_seconds: Option<f64>,
    /// `no`, `likely` (all that are open are stuck, the size is not known) or `certain`
    starved: &'static str,
}

pub(super) fn pools(picture: &Picture<'_>) -> Vec<PoolObject> {
    picture.pools.iter().map(pool).collect()
}

fn pool(pool: &Pool<'_>) -> PoolObject {
    let Pool {
        key,
        sessions,
        size,
        pinned,
        waiting,
        waiting_on_itself,
        free_clients,
        unseen,
        stuck_for,
    } = pool;
    let PoolKey {
        datname,
        usename,
        application_name,
        client_addr,
        pooler,
    } = key.clone();
    PoolObject {
        datname,
        usename,
        application_name,
        client_addr,
        free_clients: pooler.is_some().then_some(*free_clients),
        pooler,
        size: *size,
        open: sessions.len(),
        pinned: pinned.clone(),
        waiting: waiting.clone(),
        waiting_on_itself: waiting_on_itself.clone(),
        hidden: *unseen,
        stuck_for_seconds: stuck_for.map(seconds),
        starved: match pool.starvation() {
            Starvation::No => "no",
            Starvation::AllThatAreOpen => "likely",
            Starvation::Proven => "certain",
        },
    }
}
