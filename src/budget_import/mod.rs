//! A budget's file from Kubernetes manifests: a role for each pool that pods have.
//!
//! What the manifests do not say is `"?"` in the file, with the reason beside it. `budget check`
//! refuses that at its line until somebody has filled it in: no number is taken for granted.

mod container;
mod instances;
mod names;
mod notes;
#[cfg(test)]
mod properties;
mod table;
#[cfg(test)]
mod tests;
mod variable;

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::budget::deploy::Share;
use crate::manifest::{Kind, Manifests, Rollout, Scale, Workload};
use container::Pool;
use instances::Instances;
use table::{Figure, Presence, Setting, Table};

/// What only a person can say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wishes {
    /// Names of the variable that holds a pool's size: the first that a container has counts.
    pub pool_variables: Vec<String>,
    pub overflow_variables: Vec<String>,
    pub process_variables: Vec<String>,
    /// Sizes of pools, by role.
    pub pools: BTreeMap<String, u64>,
    /// Roles that do not connect to this server.
    pub skipped: Vec<String>,
    /// Of the cluster.
    pub nodes: Option<u64>,
    /// Runs of a CronJob at the same moment, where that is allowed.
    pub overlapping_runs: Option<u64>,
    /// How soon a deploy may follow another.
    pub deploy_every: Option<Duration>,
    pub max_connections: Option<u64>,
}

/// The file, and what is to be said beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    max_connections: Option<u64>,
    tables: Vec<Table>,
    pub notes: Vec<String>,
}

/// Why there is no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Nothing that runs pods.
    NothingRunsPods { left_out: Vec<String> },
    /// A wish for a role that is not there.
    NoSuchRole { name: String, roles: Vec<String> },
    /// Every role was to be skipped.
    AllSkipped,
}

/// Makes roles of workloads.
///
/// # Errors
/// When nothing is left to budget, or a wish is for nobody.
pub fn import(manifests: &Manifests, wishes: &Wishes) -> Result<Import, Refusal> {
    let mut notes = notes::left_out(manifests);
    if manifests.workloads.is_empty() {
        return Err(Refusal::NothingRunsPods { left_out: notes });
    }
    let mut drafts = drafts(manifests, wishes);
    names::give(&mut drafts);
    names::refuse_unknown(&drafts, wishes)?;
    drafts.retain(|draft| !wishes.skipped.contains(&draft.name));
    let tables: Vec<Table> = drafts
        .into_iter()
        .map(|draft| draft.table(wishes))
        .collect();
    if tables.is_empty() {
        return Err(Refusal::AllSkipped);
    }
    notes.extend(notes::without_target(manifests));
    notes.extend(notes::commented_out(&tables));
    notes.extend(notes::unknown(&tables));
    Ok(Import {
        max_connections: wishes.max_connections,
        tables,
        notes,
    })
}

/// One pool of a workload's pods, on its way to a table.
struct Draft<'a> {
    name: String,
    workload: &'a Workload,
    instances: Instances,
    pool: Pool,
    /// Whether the pods have others.
    shares_its_pod: bool,
}

fn drafts<'a>(manifests: &'a Manifests, wishes: &Wishes) -> Vec<Draft<'a>> {
    let mut drafts = Vec::new();
    for workload in &manifests.workloads {
        let pools = container::pools(workload, manifests, wishes);
        let shares_its_pod = pools.len() > 1;
        drafts.extend(pools.into_iter().map(|pool| Draft {
            name: workload.name.name.clone(),
            workload,
            instances: instances::of(workload, manifests, wishes),
            pool,
            shares_its_pod,
        }));
    }
    drafts
}

impl Draft<'_> {
    fn table(mut self, wishes: &Wishes) -> Table {
        if let Some(pool) = wishes.pools.get(&self.name) {
            self.pool.as_given(*pool);
        }
        match self.workload.scale {
            Scale::DuringADeploy { .. } => self.external(),
            _ => self.role(wishes),
        }
    }

    fn role(self, wishes: &Wishes) -> Table {
        let mut table = self.begin("[[role]]");
        self.instances.write(&mut table);
        self.pool.write(&mut table);
        let Workload { kind, rollout, .. } = self.workload;
        let rollouts = self.rollouts(wishes);
        let (deploy, whence) = match rollout {
            Rollout::InPlace => ("{ strategy = \"none\" }".to_owned(), in_place(*kind)),
            Rollout::Rolling {
                max_surge,
                max_unavailable,
            } => {
                let rollouts =
                    rollouts.map_or(String::new(), |rollouts| format!(", rollouts = {rollouts}"));
                let (surge, unavailable) = (written(*max_surge), written(*max_unavailable));
                (
                    format!(
                        "{{ strategy = \"rolling\", max_surge = {surge}, max_unavailable = {unavailable}{rollouts} }}"
                    ),
                    "",
                )
            }
        };
        table.set("deploy", Setting::Written(deploy), whence);
        table
    }

    /// How many deploys may follow each other while the pods of the first still shut down.
    fn rollouts(&self, wishes: &Wishes) -> Option<u64> {
        let every = wishes.deploy_every?.as_secs().max(1);
        let grace = self.workload.pod.grace_seconds.unwrap_or(GRACE_SECONDS);
        Some(grace.div_ceil(every).max(1))
    }

    fn external(self) -> Table {
        let mut table = self.begin("[[external]]");
        let connections = self
            .instances
            .most()
            .and_with(self.pool.each(), u64::saturating_mul);
        let whence = match self.instances.most() {
            Figure::Known(pods @ 2..) => format!("{pods} pods; {}", self.pool.whence()),
            _ => self.pool.whence().to_owned(),
        };
        table.set("connections", Setting::Figure(connections), whence);
        table.set(
            "when",
            Setting::Text("deploy".to_owned()),
            "a hook of the deploy",
        );
        table
    }

    fn begin(&self, heading: &'static str) -> Table {
        let Workload {
            kind,
            name,
            origin,
            rollout,
            pod,
            ..
        } = self.workload;
        let container = match &self.pool.container {
            Some(container) => format!(", container {container}"),
            None => String::new(),
        };
        let mut about = vec![format!("{} {name}{container} ({origin})", kind.as_str())];
        about.extend(self.pool.remarks.iter().cloned());
        let slow = pod.grace_seconds.filter(|seconds| *seconds > GRACE_SECONDS);
        if let (Some(seconds), Rollout::Rolling { .. }) = (slow, rollout) {
            about.push(format!(
                "A pod may take {seconds} s to stop (terminationGracePeriodSeconds): a second deploy within that time leaves another set behind (rollouts)."
            ));
        }
        Table {
            heading,
            name: self.name.clone(),
            presence: self.instances.presence,
            about,
            lines: Vec::new(),
        }
    }
}

fn in_place(kind: Kind) -> &'static str {
    match kind {
        Kind::Deployment => "Recreate: the old pods end first",
        Kind::StatefulSet | Kind::DaemonSet => "each pod ends before its successor begins",
        _ => "a deploy adds none",
    }
}

fn written(share: Share) -> String {
    match share {
        Share::Count(count) => count.to_string(),
        Share::Percent(percent) => format!("\"{percent}%\""),
    }
}

/// Kubernetes' default.
const GRACE_SECONDS: u64 = 30;

const HEAD: &str = "\
# The connection budget, begun from Kubernetes manifests by `lockaudit budget import`.
#
# A \"?\" is what the manifests do not say: `lockaudit budget check` refuses it until a number is
# there. They do not say either who else connects ([[external]]: backups, exporters, people with
# psql), which poolers lie between ([[pgbouncer]], via), nor as whom pods connect (user, database).
# All keys: docs/budget.md; a file that explains them: `lockaudit budget init`.

version = 1

[server]
";

impl fmt::Display for Import {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(HEAD)?;
        match self.max_connections {
            Some(number) => writeln!(out, "max_connections = {number}")?,
            None => writeln!(
                out,
                "#max_connections = 100                 # SHOW max_connections, unless --live reads it"
            )?,
        }
        for table in &self.tables {
            write!(out, "\n{table}")?;
        }
        Ok(())
    }
}

impl Import {
    /// How many roles and others there are.
    pub fn len(&self) -> usize {
        let counts = |table: &&Table| table.presence == Presence::Counts;
        self.tables.iter().filter(counts).count()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
