//! Which clients had a backend while we looked: a lock that several of them had on it excludes none.

use std::collections::{BTreeMap, HashMap};

use super::join::joined;
use crate::snapshot::{Identity, PoolerClient, Snapshot};

/// By backend; pids recur, but hardly within a run, and then its hold would not agree.
#[derive(Debug, Default)]
pub(super) struct Borrowers(HashMap<i32, Vec<PoolerClient>>);

impl Borrowers {
    pub fn of(earlier: &[Snapshot], now: &Snapshot) -> Self {
        let mut seen: HashMap<i32, BTreeMap<(String, Identity), PoolerClient>> = HashMap::new();
        for snapshot in earlier.iter().chain([now]) {
            for (pid, behind) in joined(snapshot) {
                if let Some(client) = behind.client {
                    let who = (behind.pooler.console.clone(), client.identity.clone());
                    let clients = seen.entry(pid).or_default();
                    clients.insert(who, client.clone());
                }
            }
        }
        let each_once = seen
            .into_iter()
            .map(|(pid, clients)| (pid, clients.into_values().collect()));
        Self(each_once.collect())
    }

    pub fn of_backend(&self, pid: i32) -> &[PoolerClient] {
        self.0.get(&pid).map_or(&[], Vec::as_slice)
    }
}
