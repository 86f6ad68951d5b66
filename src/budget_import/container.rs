//! Which containers of a pod have a pool, and what one process of each may open.

use super::Wishes;
use super::table::{Figure, Setting, Table};
use super::variable::{Place, Sighting, Sourced};
use crate::manifest::{Container, Manifests, Runs, Workload};
use crate::words;

/// A pool of each pod, and whose it is.
pub(super) struct Pool {
    /// `None`: of no container for certain.
    pub container: Option<String>,
    pub pool: Sourced,
    pub overflow: Option<Sourced>,
    pub processes: Option<Sourced>,
    pub remarks: Vec<String>,
}

impl Pool {
    pub(super) fn write(&self, table: &mut Table) {
        if let Some(processes) = &self.processes {
            let setting = Setting::Figure(processes.figure);
            table.set("processes", setting, &processes.whence);
        }
        table.set("pool", Setting::Figure(self.pool.figure), &self.pool.whence);
        if let Some(overflow) = &self.overflow {
            let setting = Setting::Figure(overflow.figure);
            table.set("overflow", setting, &overflow.whence);
        }
    }

    /// What a pod's container may open.
    pub(super) fn each(&self) -> Figure {
        let known = |sourced: &Option<Sourced>, usual| {
            let figure = sourced.as_ref().map(|sourced| sourced.figure);
            figure.unwrap_or(Figure::Known(usual))
        };
        let pool = self
            .pool
            .figure
            .and_with(known(&self.overflow, 0), u64::saturating_add);
        pool.and_with(known(&self.processes, 1), u64::saturating_mul)
    }

    /// Where what it opens comes from, or why that is not known.
    pub(super) fn whence(&self) -> &str {
        let others = [&self.overflow, &self.processes];
        let findings = std::iter::once(&self.pool).chain(others.into_iter().flatten());
        let mut unknown = findings
            .filter(|sourced| sourced.figure == Figure::Unknown)
            .map(|sourced| sourced.whence.as_str());
        unknown.next().unwrap_or(&self.pool.whence)
    }

    /// A person has said all that one process opens.
    pub(super) fn as_given(&mut self, pool: u64) {
        self.pool = Sourced {
            figure: Figure::Known(pool),
            whence: "--pool".to_owned(),
        };
        self.overflow = None;
        if self.container.is_none() {
            self.remarks.clear();
        }
    }
}

/// The pools of a pod: one for each container that has the variable, since each is a pool of its
/// own; one that is not known if no container has it.
pub(super) fn pools(workload: &Workload, manifests: &Manifests, wishes: &Wishes) -> Vec<Pool> {
    let look = |container| Place {
        manifests,
        owner: &workload.name,
        container,
    };
    let mut beside = Vec::new();
    let mut before = Vec::new();
    for container in &workload.pod.containers {
        let Some(pool) = pool(&look(container), wishes) else {
            continue;
        };
        match container.runs {
            Runs::AsLongAsThePod => beside.push(pool),
            Runs::BeforeTheOthers => before.push(pool),
        }
    }
    take_in(&mut beside, before);
    match beside.is_empty() {
        true => vec![unknown(&workload.pod.containers, look, wishes)],
        false => {
            remark_on_others(&mut beside, &workload.pod.containers, wishes);
            beside
        }
    }
}

/// `None`: the container has no pool.
fn pool(place: &Place<'_>, wishes: &Wishes) -> Option<Pool> {
    let pool = match place.look_for(&wishes.pool_variables, 1) {
        Sighting::Absent => return None,
        Sighting::Perhaps(store) => Sourced {
            figure: Figure::Unknown,
            whence: format!(
                "{} may be in {}, which is not among the manifests",
                either(&wishes.pool_variables),
                store.said()
            ),
        },
        Sighting::Found(sourced) => sourced,
    };
    Some(Pool {
        container: Some(place.container.name.clone()),
        pool,
        overflow: overflow(place, wishes),
        processes: processes(place, wishes),
        remarks: Vec::new(),
    })
}

/// `None` if nobody asked for it. Where the variable is not set the library's own default holds,
/// which is 10 for SQLAlchemy, and no overflow for others.
fn overflow(place: &Place<'_>, wishes: &Wishes) -> Option<Sourced> {
    let names = &wishes.overflow_variables;
    let unset = || Sourced {
        figure: Figure::Unknown,
        whence: format!("{} is not set: the library's own default", either(names)),
    };
    (!names.is_empty()).then(|| found(place.look_for(names, 0), names, unset))
}

/// `None` if nobody asked for it. A container that says nothing of processes is one.
fn processes(place: &Place<'_>, wishes: &Wishes) -> Option<Sourced> {
    let names = &wishes.process_variables;
    let unset = || Sourced {
        figure: Figure::Known(1),
        whence: format!("{} is not set: one process", either(names)),
    };
    (!names.is_empty()).then(|| found(place.look_for(names, 1), names, unset))
}

fn found(sighting: Sighting, names: &[String], unset: impl FnOnce() -> Sourced) -> Sourced {
    match sighting {
        Sighting::Found(sourced) => sourced,
        Sighting::Absent => unset(),
        Sighting::Perhaps(store) => Sourced {
            figure: Figure::Unknown,
            whence: format!("{} may be in {}", either(names), store.said()),
        },
    }
}

/// What runs before the others counts only as far as they open less after it.
fn take_in(beside: &mut Vec<Pool>, before: Vec<Pool>) {
    let opened = beside.iter().map(Pool::each);
    let opened = opened.fold(Figure::Known(0), |sum, each| {
        sum.and_with(each, u64::saturating_add)
    });
    for mut pool in before {
        let name = pool.container.clone().unwrap_or_default();
        let is_within = match (pool.each(), opened) {
            (Figure::Known(first), Figure::Known(later)) => first <= later,
            _ => !beside.is_empty(),
        };
        match beside.first_mut().filter(|_| is_within) {
            Some(first) => first.remarks.push(format!(
                "Init container {name} has a pool too: it is not added, since it ends before the others begin."
            )),
            None => {
                pool.remarks.push(
                    "An init container: it ends before the others begin, but may open more than they do."
                        .to_owned(),
                );
                beside.push(pool);
            }
        }
    }
}

/// A pool of which nothing is known, so that a person looks.
fn unknown<'a>(
    containers: &'a [Container],
    look: impl Fn(&'a Container) -> Place<'a>,
    wishes: &Wishes,
) -> Pool {
    let names: Vec<&str> = containers
        .iter()
        .map(|container| container.name.as_str())
        .collect();
    let names = words::some_of(&names, 5);
    let whence = match wishes.pool_variables.is_empty() {
        true => format!("of {names}: name its variable with --pool-env, or its size with --pool"),
        false => format!("{} is not set in {names}", either(&wishes.pool_variables)),
    };
    let sourced = Sourced {
        figure: Figure::Unknown,
        whence,
    };
    Pool {
        container: None,
        pool: sourced,
        overflow: None,
        processes: match containers {
            [only] => processes(&look(only), wishes),
            _ => None,
        },
        remarks: vec![
            "If it does not connect to this server, delete the table (or import with --skip)."
                .to_owned(),
        ],
    }
}

fn remark_on_others(pools: &mut [Pool], containers: &[Container], wishes: &Wishes) {
    let has_pool = |container: &&Container| {
        let named = |pool: &Pool| pool.container.as_ref() == Some(&container.name);
        pools.iter().any(named) || container.runs == Runs::BeforeTheOthers
    };
    let others = containers.iter().filter(|container| !has_pool(container));
    let others: Vec<&str> = others.map(|container| container.name.as_str()).collect();
    if let (Some(first), false) = (pools.first_mut(), others.is_empty()) {
        first.remarks.push(format!(
            "Not counted, since {} is not set there: {}.",
            either(&wishes.pool_variables),
            words::some_of(&others, 5)
        ));
    }
}

/// `DB_POOL or PGPOOL`
fn either(names: &[String]) -> String {
    names.join(" or ")
}
