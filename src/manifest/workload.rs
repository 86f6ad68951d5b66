//! What runs pods: how many, and how they are replaced when a new version comes.

use super::mistake::{Mistake, Origin};
use super::object::{Name, Object};
use super::pod::{self, Pod};
use super::value::Value;
use crate::budget::deploy::Share;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workload {
    pub kind: Kind,
    pub name: Name,
    pub origin: Origin,
    pub scale: Scale,
    pub rollout: Rollout,
    pub pod: Pod,
    /// Whether somebody has stopped it from making pods.
    pub suspended: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Deployment,
    StatefulSet,
    DaemonSet,
    ReplicaSet,
    ReplicationController,
    CronJob,
    Job,
    Pod,
}

impl Kind {
    const ALL: [(&'static str, &'static str, Self); 8] = [
        ("apps", "Deployment", Self::Deployment),
        ("apps", "StatefulSet", Self::StatefulSet),
        ("apps", "DaemonSet", Self::DaemonSet),
        ("apps", "ReplicaSet", Self::ReplicaSet),
        ("", "ReplicationController", Self::ReplicationController),
        ("batch", "CronJob", Self::CronJob),
        ("batch", "Job", Self::Job),
        ("", "Pod", Self::Pod),
    ];

    pub(super) fn of(group: &str, kind: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        let found = all.find(|(its_group, name, _)| (*its_group, *name) == (group, kind));
        found.map(|(_, _, kind)| kind)
    }

    pub fn as_str(self) -> &'static str {
        let mut all = Self::ALL.into_iter();
        all.find(|(_, _, kind)| *kind == self)
            .map_or("", |(_, name, _)| name)
    }
}

/// How many pods there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scale {
    /// `None`: nothing is said, which is 1 or what an autoscaler makes of it.
    Replicas(Option<u64>),
    /// One on every node of the cluster that takes it: how many the server says that is.
    EachNode { scheduled: Option<u64> },
    /// So many at once, by each run.
    Runs {
        at_once: u64,
        concurrency: Concurrency,
    },
    /// So many at once while it is deployed, and none otherwise.
    DuringADeploy { at_once: u64 },
}

/// What happens when a run is still at work as the next is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concurrency {
    Allow,
    Forbid,
    Replace,
    /// There is but one run.
    Once,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rollout {
    /// The old pod has ended before the new one begins.
    InPlace,
    Rolling {
        max_surge: Share,
        max_unavailable: Share,
    },
}

/// The share of a Deployment that may be more, and less, while it is replaced.
const QUARTER: Share = Share::Percent(25);

pub(super) fn read(object: &Object<'_>, kind: Kind) -> Result<Workload, Mistake> {
    let spec = object.value.need("spec")?;
    let template = match kind {
        Kind::Pod => spec,
        Kind::CronJob => job(spec)?.need("template")?.need("spec")?,
        _ => spec.need("template")?.need("spec")?,
    };
    Ok(Workload {
        kind,
        name: named(object)?,
        origin: object.origin(),
        scale: scale(object, kind, spec)?,
        rollout: rollout(kind, spec)?,
        pod: pod::read(object, template)?,
        suspended: spec.get("suspend")?.is_some_and(Value::is_true),
    })
}

fn named(object: &Object<'_>) -> Result<Name, Mistake> {
    if object.name.name.is_empty() {
        let message = format!("the {} has no name", object.kind);
        return Err(object.value.refuse(message));
    }
    Ok(object.name.clone())
}

fn job(spec: Value<'_>) -> Result<Value<'_>, Mistake> {
    spec.need("jobTemplate")?.need("spec")
}

fn scale(object: &Object<'_>, kind: Kind, spec: Value<'_>) -> Result<Scale, Mistake> {
    Ok(match kind {
        Kind::DaemonSet => Scale::EachNode {
            scheduled: match object.value.find(&["status", "desiredNumberScheduled"])? {
                Some(scheduled) => Some(scheduled.count()?),
                None => None,
            },
        },
        Kind::CronJob => Scale::Runs {
            at_once: at_once(job(spec)?)?,
            concurrency: concurrency(spec)?,
        },
        Kind::Job if is_hook(object)? => Scale::DuringADeploy {
            at_once: at_once(spec)?,
        },
        Kind::Job => Scale::Runs {
            at_once: at_once(spec)?,
            concurrency: Concurrency::Once,
        },
        Kind::Pod if is_hook(object)? => Scale::DuringADeploy { at_once: 1 },
        Kind::Pod => Scale::Replicas(Some(1)),
        _ => Scale::Replicas(spec.count_at("replicas")?),
    })
}

/// Helm's and Argo CD's names for work that belongs to a deploy.
fn is_hook(object: &Object<'_>) -> Result<bool, Mistake> {
    for key in ["helm.sh/hook", "argocd.argoproj.io/hook"] {
        if object.annotation(key)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Pods of one run: never more than are still to be completed.
fn at_once(job: Value<'_>) -> Result<u64, Mistake> {
    let parallelism = job.count_at("parallelism")?.unwrap_or(1);
    let completions = job.count_at("completions")?;
    Ok(parallelism.min(completions.unwrap_or(parallelism)))
}

fn concurrency(spec: Value<'_>) -> Result<Concurrency, Mistake> {
    let Some(policy) = spec.get("concurrencyPolicy")? else {
        return Ok(Concurrency::Allow);
    };
    match policy.text()? {
        "Allow" => Ok(Concurrency::Allow),
        "Forbid" => Ok(Concurrency::Forbid),
        "Replace" => Ok(Concurrency::Replace),
        _ => Err(policy.refuse("`concurrencyPolicy` is none of Allow, Forbid, Replace")),
    }
}

fn rollout(kind: Kind, spec: Value<'_>) -> Result<Rollout, Mistake> {
    match kind {
        Kind::Deployment => deployment(spec),
        Kind::DaemonSet => daemon_set(spec),
        _ => Ok(Rollout::InPlace),
    }
}

fn deployment(spec: Value<'_>) -> Result<Rollout, Mistake> {
    let Some(strategy) = spec.get("strategy")? else {
        return Ok(Rollout::Rolling {
            max_surge: QUARTER,
            max_unavailable: QUARTER,
        });
    };
    match strategy.text_at("type")? {
        Some("Recreate") => Ok(Rollout::InPlace),
        None | Some("RollingUpdate") => {
            let max_surge = share(strategy, "maxSurge")?.unwrap_or(QUARTER);
            let max_unavailable = share(strategy, "maxUnavailable")?.unwrap_or(QUARTER);
            if is_nothing(max_surge) && is_nothing(max_unavailable) {
                let message =
                    "`maxSurge` and `maxUnavailable` are both 0, which Kubernetes rejects";
                return Err(strategy.refuse(message));
            }
            Ok(Rollout::Rolling {
                max_surge,
                max_unavailable,
            })
        }
        Some(_) => Err(strategy.refuse("the strategy is none of RollingUpdate, Recreate")),
    }
}

/// Without a surge a node's old pod must end before its new one is made.
fn daemon_set(spec: Value<'_>) -> Result<Rollout, Mistake> {
    let Some(strategy) = spec.get("updateStrategy")? else {
        return Ok(Rollout::InPlace);
    };
    match share(strategy, "maxSurge")? {
        Some(max_surge) if !is_nothing(max_surge) => Ok(Rollout::Rolling {
            max_surge,
            max_unavailable: share(strategy, "maxUnavailable")?.unwrap_or(Share::Count(0)),
        }),
        _ => Ok(Rollout::InPlace),
    }
}

fn share(strategy: Value<'_>, key: &'static str) -> Result<Option<Share>, Mistake> {
    let share = strategy.find(&["rollingUpdate", key])?;
    share.map(Value::share).transpose()
}

fn is_nothing(share: Share) -> bool {
    matches!(share, Share::Count(0) | Share::Percent(0))
}
