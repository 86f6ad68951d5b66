//! Kubernetes manifests as plain values: what runs pods, with how many replicas, how it is replaced,
//! and which variables its containers have.
//!
//! It reads what `kubectl get -o yaml` and `helm template` print. What Kubernetes would refuse is a
//! mistake with its place; what says nothing of pods is kept by name, so that nothing is dropped
//! without a word.

mod autoscaler;
mod config_map;
mod mistake;
mod object;
mod pod;
#[cfg(test)]
mod tests;
mod value;
mod workload;
mod yaml;

pub use autoscaler::Autoscaler;
pub use config_map::ConfigMap;
pub use mistake::{Mistake, Origin};
pub use object::Name;
pub use pod::{Container, EnvFrom, Pod, Runs, Says, Store, Variable};
pub use workload::{Concurrency, Kind, Rollout, Scale, Workload};

use object::Object;

/// A text, and what people call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub name: String,
    pub text: String,
}

/// All that the manifests say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifests {
    pub workloads: Vec<Workload>,
    pub autoscalers: Vec<Autoscaler>,
    pub config_maps: Vec<ConfigMap>,
    pub left_out: Vec<LeftOut>,
}

/// What no workload was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// `Deployment`, or with a group that is not Kubernetes' own `Rollout.argoproj.io`.
    pub kind: String,
    pub name: Name,
    pub origin: Origin,
    pub why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// Its kind is none of those that are understood: it may run pods.
    NotUnderstood,
    /// Another object makes it, and is what counts.
    Owned,
    /// A chart's test, which runs when somebody asks for it.
    ChartTest,
    /// It has run, or been stopped, and has no pods any more.
    Finished,
    /// Its kind says nothing of pods.
    RunsNoPods,
}

/// Reads all texts.
///
/// # Errors
/// The first thing that can't be used, with its place.
pub fn read(sources: &[Source]) -> Result<Manifests, Mistake> {
    let mut manifests = Manifests::default();
    for source in sources {
        for document in yaml::documents(source)? {
            for object in object::all(&document)? {
                manifests.add(&object)?;
            }
        }
    }
    Ok(manifests)
}

impl Manifests {
    fn add(&mut self, object: &Object<'_>) -> Result<(), Mistake> {
        if let Some(why) = object.left_out()? {
            self.leave_out(object, why);
            return Ok(());
        }
        match (object.group, object.kind.as_str()) {
            ("autoscaling", "HorizontalPodAutoscaler") => {
                self.autoscalers.push(autoscaler::read(object)?);
            }
            ("", "ConfigMap") => self.config_maps.push(config_map::read(object)?),
            (group, kind) => match Kind::of(group, kind) {
                Some(kind) => self.add_workload(workload::read(object, kind)?)?,
                None => self.leave_out(object, object.why_unknown()),
            },
        }
        Ok(())
    }

    /// The same object twice is two environments in one budget, or one counted twice.
    fn add_workload(&mut self, workload: Workload) -> Result<(), Mistake> {
        let same = |other: &&Workload| (other.kind, &other.name) == (workload.kind, &workload.name);
        if let Some(first) = self.workloads.iter().find(same) {
            let message = format!(
                "{} {} is there already: {}",
                workload.kind.as_str(),
                workload.name,
                first.origin
            );
            return Err(Mistake::at(workload.origin, message)
                .instead("give the manifests of one environment, each once"));
        }
        self.workloads.push(workload);
        Ok(())
    }

    fn leave_out(&mut self, object: &Object<'_>, why: Why) {
        self.left_out.push(LeftOut {
            kind: object.kind_with_group(),
            name: object.name.clone(),
            origin: object.origin(),
            why,
        });
    }
}
