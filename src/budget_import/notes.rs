//! What is said beside the file: what was left out and why, and what waits for a person.

use std::collections::BTreeMap;

use super::instances::scales;
use super::table::{Presence, Table};
use crate::manifest::{Manifests, Why};
use crate::words;

/// How many names a note gives.
const MOST_NAMED: usize = 5;

/// A note for each reason to leave something out.
pub(super) fn left_out(manifests: &Manifests) -> Vec<String> {
    let mut by_reason: BTreeMap<Why, BTreeMap<&str, Vec<String>>> = BTreeMap::new();
    for left_out in &manifests.left_out {
        let kinds = by_reason.entry(left_out.why).or_default();
        let names = kinds.entry(left_out.kind.as_str()).or_default();
        names.push(left_out.name.to_string());
    }
    let notes = by_reason.into_iter();
    notes
        .map(|(why, kinds)| {
            let listed: Vec<String> = kinds
                .into_iter()
                .map(|(kind, names)| match why {
                    Why::RunsNoPods | Why::Owned => format!("{} {kind}", names.len()),
                    _ => format!("{kind} {}", words::some_of(&names, MOST_NAMED)),
                })
                .collect();
            format!("{}: {}", reason(why), listed.join("; "))
        })
        .collect()
}

fn reason(why: Why) -> &'static str {
    match why {
        Why::NotUnderstood => {
            "not understood (if it runs pods that connect, add a [[role]] by hand)"
        }
        Why::Owned => {
            "left out, since other workloads make them, which must be among the manifests"
        }
        Why::ChartTest => "left out, as a test of the chart",
        Why::Finished => "left out, since it has finished",
        Why::RunsNoPods => "left out, since they run no pods",
    }
}

/// An autoscaler that scales nothing of what was given.
pub(super) fn without_target(manifests: &Manifests) -> Vec<String> {
    let autoscalers = manifests.autoscalers.iter();
    autoscalers
        .filter(|autoscaler| {
            let mut workloads = manifests.workloads.iter();
            !workloads.any(|workload| scales(autoscaler, workload))
        })
        .map(|autoscaler| {
            format!(
                "HorizontalPodAutoscaler {} is for {} {}, which is not among the manifests",
                autoscaler.name, autoscaler.target_kind, autoscaler.target_name
            )
        })
        .collect()
}

pub(super) fn commented_out(tables: &[Table]) -> Option<String> {
    let out = tables
        .iter()
        .filter(|table| table.presence == Presence::CommentedOut);
    let names: Vec<&str> = out.map(|table| table.name.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "commented out, since without pods now: {}",
            words::some_of(&names, MOST_NAMED)
        )
    })
}

/// What `budget check` will refuse.
pub(super) fn unknown(tables: &[Table]) -> Option<String> {
    let waiting = tables.iter().flat_map(|table| {
        let keys = table.unknown();
        keys.map(|key| format!("{} ({key})", table.name))
    });
    let waiting: Vec<String> = waiting.collect();
    (!waiting.is_empty()).then(|| {
        format!(
            "{} to be filled in where the file has \"?\": {}",
            words::count(waiting.len(), "number"),
            words::some_of(&waiting, MOST_NAMED)
        )
    })
}
