//! A pod as its template has it: containers, and where their variables come from.

use super::mistake::Mistake;
use super::object::Object;
use super::value::Value;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pod {
    pub containers: Vec<Container>,
    /// How long it may take to stop, if that is said.
    pub grace_seconds: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Container {
    pub name: String,
    pub runs: Runs,
    /// Of two with one name the later counts.
    pub variables: Vec<Variable>,
    /// Of two that have a variable the later counts; `variables` before both.
    pub env_from: Vec<EnvFrom>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runs {
    /// As long as the pod does: a sidecar that is written as an init container too.
    AsLongAsThePod,
    /// To its end before the others begin.
    BeforeTheOthers,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    pub says: Says,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Says {
    Text(String),
    /// The value of a key there.
    Stored {
        store: Store,
        key: String,
    },
    /// A field of the pod, a resource's limit, or what is newer than this program.
    WhenItRuns,
}

/// Every key of a store as a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvFrom {
    pub store: Store,
    pub prefix: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Store {
    ConfigMap(String),
    Secret(String),
}

impl Store {
    /// ``ConfigMap `app-env` ``
    pub fn said(&self) -> String {
        match self {
            Self::ConfigMap(name) => format!("ConfigMap `{name}`"),
            Self::Secret(name) => format!("Secret `{name}`"),
        }
    }
}

pub(super) fn read(object: &Object<'_>, spec: Value<'_>) -> Result<Pod, Mistake> {
    let mut containers = Vec::new();
    for container in spec.list("containers")? {
        containers.push(read_container(container, Runs::AsLongAsThePod)?);
    }
    if containers.is_empty() {
        let message = format!("{} {} has no containers", object.kind, object.name);
        return Err(spec.refuse(message).instead(
            "give whole manifests: a patch must be applied first, for example with `kubectl kustomize`",
        ));
    }
    for container in spec.list("initContainers")? {
        let runs = match container.text_at("restartPolicy")? {
            Some("Always") => Runs::AsLongAsThePod,
            _ => Runs::BeforeTheOthers,
        };
        containers.push(read_container(container, runs)?);
    }
    Ok(Pod {
        containers,
        grace_seconds: spec.count_at("terminationGracePeriodSeconds")?,
    })
}

fn read_container(container: Value<'_>, runs: Runs) -> Result<Container, Mistake> {
    let mut variables = Vec::new();
    for variable in container.list("env")? {
        variables.push(Variable {
            name: variable.need("name")?.text()?.to_owned(),
            says: says(variable)?,
        });
    }
    let mut env_from = Vec::new();
    for entry in container.list("envFrom")? {
        env_from.extend(read_env_from(entry)?);
    }
    Ok(Container {
        name: container.text_at("name")?.unwrap_or_default().to_owned(),
        runs,
        variables,
        env_from,
    })
}

/// A variable without a value is empty to the program.
fn says(variable: Value<'_>) -> Result<Says, Mistake> {
    let Some(from) = variable.get("valueFrom")? else {
        let text = variable.text_at("value")?.unwrap_or_default();
        return Ok(Says::Text(text.to_owned()));
    };
    let config_map = from.get("configMapKeyRef")?;
    let secret = from.get("secretKeyRef")?;
    let (store, reference) = match (config_map, secret) {
        (Some(reference), _) => (Store::ConfigMap(name(reference)?), reference),
        (None, Some(reference)) => (Store::Secret(name(reference)?), reference),
        (None, None) => return Ok(Says::WhenItRuns),
    };
    let key = reference.need("key")?.text()?.to_owned();
    Ok(Says::Stored { store, key })
}

fn name(reference: Value<'_>) -> Result<String, Mistake> {
    Ok(reference.need("name")?.text()?.to_owned())
}

fn read_env_from(entry: Value<'_>) -> Result<Option<EnvFrom>, Mistake> {
    let prefix = entry.text_at("prefix")?.unwrap_or_default().to_owned();
    let store = match (entry.get("configMapRef")?, entry.get("secretRef")?) {
        (Some(reference), _) => Store::ConfigMap(name(reference)?),
        (None, Some(reference)) => Store::Secret(name(reference)?),
        (None, None) => return Ok(None),
    };
    Ok(Some(EnvFrom { store, prefix }))
}
