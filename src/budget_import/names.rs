//! Names of roles: the workload's, and as much more as tells it from the others.

use std::collections::{BTreeMap, BTreeSet};

use super::{Draft, Refusal, Wishes};

/// The workload; `web/sidecar` where a pod has several pools; then `shop:web` where namespaces
/// differ, and `web (CronJob)` where they don't.
pub(super) fn give(drafts: &mut [Draft<'_>]) {
    for draft in drafts.iter_mut().filter(|draft| draft.shares_its_pod) {
        if let Some(container) = &draft.pool.container {
            draft.name = format!("{}/{container}", draft.name);
        }
    }
    tell_apart(drafts, |draft| {
        let namespace = draft.workload.name.namespace.as_ref();
        namespace.map(|namespace| format!("{namespace}:{}", draft.name))
    });
    tell_apart(drafts, |draft| {
        Some(format!("{} ({})", draft.name, draft.workload.kind.as_str()))
    });
    number_the_rest(drafts);
}

/// Gives those that share a name the longer one.
fn tell_apart(drafts: &mut [Draft<'_>], longer: impl Fn(&Draft<'_>) -> Option<String>) {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for draft in drafts.iter() {
        *count.entry(draft.name.clone()).or_default() += 1;
    }
    for draft in drafts.iter_mut().filter(|draft| count[&draft.name] > 1) {
        draft.name = longer(draft).unwrap_or_else(|| draft.name.clone());
    }
}

/// Names are foreign: `web/app` may be a workload too.
fn number_the_rest(drafts: &mut [Draft<'_>]) {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for draft in drafts {
        let mut name = draft.name.clone();
        let mut number = 2;
        while !taken.insert(name.clone()) {
            name = format!("{} {number}", draft.name);
            number += 1;
        }
        draft.name = name;
    }
}

/// A wish for a role that is not there is a slip that would go unnoticed.
pub(super) fn refuse_unknown(drafts: &[Draft<'_>], wishes: &Wishes) -> Result<(), Refusal> {
    let wished = wishes.pools.keys().chain(&wishes.skipped);
    for name in wished {
        if !drafts.iter().any(|draft| draft.name == *name) {
            return Err(Refusal::NoSuchRole {
                name: name.clone(),
                roles: drafts.iter().map(|draft| draft.name.clone()).collect(),
            });
        }
    }
    Ok(())
}
