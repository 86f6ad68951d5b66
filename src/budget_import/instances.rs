//! How many pods of a workload there may be.

use super::Wishes;
use super::table::{Figure, Presence, Setting, Table};
use crate::manifest::{Autoscaler, Concurrency, Manifests, Scale, Workload};

/// How many, as keys of a role, and whether there are any.
pub(super) struct Instances {
    pub presence: Presence,
    pub nodes: Option<(Figure, String)>,
    /// An autoscaler's ceiling.
    pub max_nodes: Option<(u64, String)>,
}

impl Instances {
    fn of(nodes: Figure, whence: impl Into<String>) -> Self {
        Self {
            presence: Presence::Counts,
            nodes: Some((nodes, whence.into())),
            max_nodes: None,
        }
    }

    fn none(whence: impl Into<String>) -> Self {
        Self {
            presence: Presence::CommentedOut,
            ..Self::of(Figure::Known(1), whence)
        }
    }

    /// The most there may be.
    pub(super) fn most(&self) -> Figure {
        match (&self.max_nodes, &self.nodes) {
            (Some((most, _)), _) => Figure::Known(*most),
            (None, Some((nodes, _))) => *nodes,
            (None, None) => Figure::Unknown,
        }
    }

    pub(super) fn write(&self, table: &mut Table) {
        if let Some((nodes, whence)) = &self.nodes {
            table.set("nodes", Setting::Figure(*nodes), whence);
        }
        if let Some((most, whence)) = &self.max_nodes {
            table.set("max_nodes", Setting::Figure(Figure::Known(*most)), whence);
        }
    }
}

pub(super) fn of(workload: &Workload, manifests: &Manifests, wishes: &Wishes) -> Instances {
    if workload.suspended {
        return Instances::none("it is suspended");
    }
    match workload.scale {
        Scale::Replicas(replicas) => match highest(workload, manifests) {
            Some(autoscaler) => autoscaled(replicas, autoscaler),
            None => fixed(replicas),
        },
        Scale::EachNode { scheduled } => on_each_node(scheduled, wishes),
        Scale::Runs {
            at_once,
            concurrency,
        } => runs(at_once, concurrency, wishes),
        Scale::DuringADeploy { at_once } => Instances::of(Figure::Known(at_once), ""),
    }
}

fn fixed(replicas: Option<u64>) -> Instances {
    match replicas {
        Some(0) => Instances::none("it is scaled to 0"),
        Some(replicas) => Instances::of(Figure::Known(replicas), ""),
        None => Instances::of(
            Figure::Known(1),
            "replicas is not said: Kubernetes makes it 1",
        ),
    }
}

/// Replicas above the ceiling exist until the autoscaler takes them away.
fn autoscaled(replicas: Option<u64>, autoscaler: &Autoscaler) -> Instances {
    let whence = format!("HorizontalPodAutoscaler {}", autoscaler.name);
    let ceiling = autoscaler.max;
    let nodes = match replicas {
        Some(0) => {
            return Instances {
                presence: Presence::Counts,
                nodes: None,
                max_nodes: Some((ceiling, format!("{whence}; it is scaled to 0 now"))),
            };
        }
        Some(replicas) if replicas > ceiling => {
            let why = format!("replicas, above the {ceiling} of {whence}");
            return Instances::of(Figure::Known(replicas), why);
        }
        Some(replicas) => replicas.max(autoscaler.min),
        None => autoscaler.min.max(1),
    };
    Instances {
        presence: Presence::Counts,
        nodes: Some((Figure::Known(nodes), String::new())),
        max_nodes: Some((ceiling, whence)),
    }
}

/// Of several autoscalers for one workload that which goes furthest.
fn highest<'a>(workload: &Workload, manifests: &'a Manifests) -> Option<&'a Autoscaler> {
    let autoscalers = manifests.autoscalers.iter();
    autoscalers
        .filter(|autoscaler| scales(autoscaler, workload))
        .max_by_key(|autoscaler| autoscaler.max)
}

pub(super) fn scales(autoscaler: &Autoscaler, workload: &Workload) -> bool {
    autoscaler.target_kind == workload.kind.as_str()
        && autoscaler.target_name == workload.name.name
        && autoscaler.name.may_share_namespace_with(&workload.name)
}

fn on_each_node(scheduled: Option<u64>, wishes: &Wishes) -> Instances {
    match (wishes.nodes, scheduled) {
        (Some(nodes), _) => Instances::of(Figure::Known(nodes), "--nodes"),
        (None, Some(0)) => Instances::none("no node takes it now"),
        (None, Some(scheduled)) => Instances::of(
            Figure::Known(scheduled),
            "desiredNumberScheduled when this was printed",
        ),
        (None, None) => Instances::of(
            Figure::Unknown,
            "a DaemonSet: as many as the cluster has nodes that take it (--nodes)",
        ),
    }
}

fn runs(at_once: u64, concurrency: Concurrency, wishes: &Wishes) -> Instances {
    let parallel = match at_once {
        0 => return Instances::none("its parallelism is 0"),
        1 => String::new(),
        pods => format!("{pods} pods at once by each run; "),
    };
    let known = |runs: u64| Figure::Known(at_once.saturating_mul(runs));
    match (concurrency, wishes.overlapping_runs) {
        (Concurrency::Once, _) => Instances::of(known(1), parallel.trim_end_matches("; ")),
        (Concurrency::Forbid, _) => {
            Instances::of(known(1), format!("{parallel}concurrencyPolicy is Forbid"))
        }
        (Concurrency::Replace, _) => Instances::of(
            known(2),
            format!("{parallel}concurrencyPolicy is Replace: the old run ends as the new begins"),
        ),
        (Concurrency::Allow, Some(runs)) => Instances::of(
            known(runs),
            format!("{parallel}--overlapping-runs {runs}, since concurrencyPolicy is Allow"),
        ),
        (Concurrency::Allow, None) => Instances::of(
            Figure::Unknown,
            format!(
                "{parallel}concurrencyPolicy is Allow: times how many runs may overlap (--overlapping-runs)"
            ),
        ),
    }
}
