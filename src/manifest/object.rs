//! An object: its kind, its name, and whether it counts; and lists of objects, taken apart.

use std::fmt;

use super::Why;
use super::mistake::{Mistake, Origin};
use super::value::Value;
use super::workload::Kind;
use super::yaml::Document;

/// Lists in lists are nothing that any tool prints.
const MOST_NESTED: usize = 4;

/// Kubernetes' own groups whose kinds run no pods.
const WITHOUT_PODS: [&str; 13] = [
    "",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
];

/// A name, in a namespace if the manifest has one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    pub namespace: Option<String>,
    pub name: String,
}

impl Name {
    /// Whether an object of this namespace may mean one of that: who has none gets it when applied.
    pub fn may_share_namespace_with(&self, other: &Self) -> bool {
        match (&self.namespace, &other.namespace) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(formatter, "{namespace}/{}", self.name),
            None => formatter.write_str(&self.name),
        }
    }
}

pub(super) struct Object<'a> {
    pub kind: String,
    /// `""` for the core group.
    pub group: &'a str,
    pub name: Name,
    pub value: Value<'a>,
}

/// The objects of a document; none if it is empty.
pub(super) fn all(document: &Document) -> Result<Vec<Object<'_>>, Mistake> {
    let root = Value::root(document);
    let mut found = Vec::new();
    if !root.is_null() {
        take_apart(root, None, 0, &mut found)?;
    }
    Ok(found)
}

/// What the elements of a typed list are, though they don't say it.
#[derive(Clone)]
struct Inherited<'a> {
    kind: String,
    api_version: &'a str,
}

fn take_apart<'a>(
    value: Value<'a>,
    inherited: Option<&Inherited<'a>>,
    depth: usize,
    found: &mut Vec<Object<'a>>,
) -> Result<(), Mistake> {
    if !value.is_map() {
        return Err(value.refuse("no Kubernetes object: it is no mapping"));
    }
    let (kind, api_version) = kind(value, inherited)?;
    let group = group_of(api_version);
    let Some(of) = kind.strip_suffix("List").filter(|_| is_list(value)) else {
        found.push(Object {
            group,
            name: name(value)?,
            value,
            kind,
        });
        return Ok(());
    };
    if depth == MOST_NESTED {
        return Err(value.refuse(format!("lists stand in lists more than {MOST_NESTED} deep")));
    }
    let inherited = Inherited {
        kind: of.to_owned(),
        api_version,
    };
    let inherited = Some(&inherited).filter(|_| !of.is_empty());
    for item in value.list("items")? {
        take_apart(item, inherited, depth + 1, found)?;
    }
    Ok(())
}

/// `apps` of `apps/v1`, `""` of `v1`.
fn group_of(api_version: &str) -> &str {
    api_version.rsplit_once('/').map_or("", |(group, _)| group)
}

fn is_list(value: Value<'_>) -> bool {
    value
        .entries()
        .is_ok_and(|entries| entries.iter().any(|(key, _)| *key == "items"))
}

fn kind<'a>(
    value: Value<'a>,
    inherited: Option<&Inherited<'a>>,
) -> Result<(String, &'a str), Mistake> {
    let kind = value.text_at("kind")?.map(str::to_owned);
    let kind = kind.or_else(|| inherited.map(|inherited| inherited.kind.clone()));
    let api_version = value.text_at("apiVersion")?;
    let api_version = api_version.or_else(|| inherited.map(|inherited| inherited.api_version));
    match (kind, api_version) {
        (Some(kind), Some(api_version)) => Ok((kind, api_version)),
        (None, _) => Err(value
            .refuse("no Kubernetes object: it has no `kind`")
            .instead("give manifests, not values: what `helm template`, `kubectl kustomize` or `kubectl get -o yaml` print")),
        (Some(_), None) => Err(value.refuse("no Kubernetes object: it has no `apiVersion`")),
    }
}

/// A Job may leave the end of its name to the server.
fn name(value: Value<'_>) -> Result<Name, Mistake> {
    let metadata = value.get("metadata")?;
    let text = |key| match metadata {
        Some(metadata) => metadata.text_at(key),
        None => Ok(None),
    };
    let name = match text("name")? {
        Some(name) => Some(name),
        None => text("generateName")?.map(|prefix| prefix.trim_end_matches('-')),
    };
    Ok(Name {
        namespace: text("namespace")?.map(str::to_owned),
        name: name.unwrap_or_default().to_owned(),
    })
}

impl<'a> Object<'a> {
    pub(super) fn origin(&self) -> Origin {
        self.value.origin()
    }

    pub(super) fn kind_with_group(&self) -> String {
        match self.group {
            "" | "apps" | "batch" | "autoscaling" => self.kind.clone(),
            group if WITHOUT_PODS.contains(&group) => self.kind.clone(),
            group => format!("{}.{group}", self.kind),
        }
    }

    pub(super) fn why_unknown(&self) -> Why {
        match WITHOUT_PODS.contains(&self.group) {
            true => Why::RunsNoPods,
            false => Why::NotUnderstood,
        }
    }

    /// Whether something else counts in its place.
    pub(super) fn left_out(&self) -> Result<Option<Why>, Mistake> {
        if self.is_owned()? {
            return Ok(Some(Why::Owned));
        }
        let hooks = self.annotation("helm.sh/hook")?.unwrap_or_default();
        let is_test = |hook: &str| matches!(hook.trim(), "test" | "test-success" | "test-failure");
        if !hooks.is_empty() && hooks.split(',').all(is_test) {
            return Ok(Some(Why::ChartTest));
        }
        Ok(self.is_finished()?.then_some(Why::Finished))
    }

    /// Made by an object that is a workload itself. What an operator makes is counted: its maker
    /// is nothing that is understood.
    fn is_owned(&self) -> Result<bool, Mistake> {
        let Some(metadata) = self.value.get("metadata")? else {
            return Ok(false);
        };
        for owner in metadata.list("ownerReferences")? {
            let api_version = owner.text_at("apiVersion")?.unwrap_or_default();
            let kind = owner.text_at("kind")?.unwrap_or_default();
            let is_workload = Kind::of(group_of(api_version), kind).is_some();
            if is_workload && owner.get("controller")?.is_some_and(Value::is_true) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A Pod by its phase, a Job by its conditions: only what a server printed has them.
    fn is_finished(&self) -> Result<bool, Mistake> {
        let Some(status) = self.value.get("status")?.filter(|status| status.is_map()) else {
            return Ok(false);
        };
        match (self.group, self.kind.as_str()) {
            ("", "Pod") => {
                let phase = status.text_at("phase")?;
                Ok(matches!(phase, Some("Succeeded" | "Failed")))
            }
            ("batch", "Job") => {
                for condition in status.list("conditions")? {
                    let kind = condition.text_at("type")?;
                    let holds = condition.text_at("status")? == Some("True");
                    if holds && matches!(kind, Some("Complete" | "Failed")) {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    pub(super) fn annotation(&self, key: &'a str) -> Result<Option<&'a str>, Mistake> {
        let annotation = self.value.find(&["metadata", "annotations", key])?;
        annotation.map(Value::text).transpose()
    }
}
