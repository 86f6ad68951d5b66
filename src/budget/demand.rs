//! What the plan asks of the server: a part for each role, pooler and external consumer, and their sum.

use crate::place::Place;
use std::collections::BTreeMap;

use super::OutOfRange;
use super::deploy::Instances;
use super::plan::{ConnectionKind, Deploys, External, Plan, Pooler, Role, When, Whose};
use super::pooler::{self, Pairs};
use super::said;

/// What one line of the plan asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub source: PartSource,
    pub name: String,
    /// Nodes of a role, processes of a pooler; an external consumer is what it is.
    pub instances: Option<Instances>,
    /// Connections of one instance.
    pub each: u64,
    /// How they come about: `5 + 10 overflow`.
    pub how: String,
    pub connections: Connections,
    /// The pooler in between: then these connections are not the server's.
    pub via: Option<String>,
    pub place: Option<Place>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartSource {
    Role,
    Pooler,
    External,
}

/// Connections without a deploy and during one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Connections {
    pub steady: u64,
    /// During a deploy, if what is shutting down had let go of its connections.
    pub live: u64,
    pub peak: u64,
}

impl Part {
    /// Whether its connections take slots of the server.
    pub fn takes_slots(&self) -> bool {
        self.via.is_none()
    }
}

/// All parts: roles, then poolers, then external consumers, each in the plan's order.
pub fn parts(plan: &Plan) -> Result<Vec<Part>, OutOfRange> {
    let roles = plan.roles.iter().map(of_role);
    let poolers = plan.poolers.iter().map(|pooler| of_pooler(plan, pooler));
    let externals = plan.externals.iter();
    let externals = externals
        .filter(|one| takes_a_slot(plan, one))
        .map(of_external);
    roles.chain(poolers).chain(externals.map(Ok)).collect()
}

fn of_role(role: &Role) -> Result<Part, OutOfRange> {
    let sum = || {
        let each = each_node(role)?;
        let instances = role.deploy.instances(role.desired())?;
        Some((each, instances, times(instances, each)?))
    };
    let (each, instances, connections) =
        sum().ok_or_else(|| OutOfRange::of(format!("role `{}`", role.name)).at(role.place))?;
    Ok(Part {
        source: PartSource::Role,
        name: role.name.clone(),
        instances: Some(instances),
        each,
        how: said::each_node(role),
        connections,
        via: role.via.clone(),
        place: role.place,
    })
}

/// Connections of one node: its processes, each with its pool, its locks' own pools and what it
/// opens beside them.
fn each_node(role: &Role) -> Option<u64> {
    let own_pools = role.locks.iter().filter_map(|lock| lock.own_pool);
    let beside = sum(own_pools)?.checked_add(role.extra)?;
    let process = role.pool_ceiling()?.checked_add(beside)?;
    role.processes.checked_mul(process)
}

fn of_pooler(plan: &Plan, pooler: &Pooler) -> Result<Part, OutOfRange> {
    let sum = || {
        let each = pooler::of_one_process(pooler, &pairs(plan, pooler))?;
        let instances = pooler.deploy.instances(pooler.processes)?;
        Some((each, instances, times(instances, each)?))
    };
    let (each, instances, connections) = sum()
        .ok_or_else(|| OutOfRange::of(format!("pooler `{}`", pooler.name)).at(pooler.place))?;
    Ok(Part {
        source: PartSource::Pooler,
        name: pooler.name.clone(),
        instances: Some(instances),
        each,
        how: each.to_string(),
        connections,
        via: None,
        place: pooler.place,
    })
}

/// Whom the pooler serves, as far as the plan says.
pub fn pairs(plan: &Plan, pooler: &Pooler) -> Pairs {
    clients(plan, pooler)
        .map(|role| (role.user.clone(), role.database.clone()))
        .collect()
}

/// The roles that go through the pooler.
pub fn clients<'a>(plan: &'a Plan, pooler: &'a Pooler) -> impl Iterator<Item = &'a Role> {
    let roles = plan.roles.iter();
    roles.filter(|role| role.via.as_ref() == Some(&pooler.name))
}

fn takes_a_slot(plan: &Plan, external: &External) -> bool {
    external.kind == ConnectionKind::Client || plan.server.walsenders_take_slots()
}

fn of_external(external: &External) -> Part {
    let connections = external.connections;
    Part {
        source: PartSource::External,
        name: external.name.clone(),
        instances: None,
        each: connections,
        how: connections.to_string(),
        connections: Connections {
            steady: match external.when {
                When::Always => connections,
                When::OnlyDuringADeploy => 0,
            },
            live: connections,
            peak: connections,
        },
        via: None,
        place: external.place,
    }
}

fn times(instances: Instances, each: u64) -> Option<Connections> {
    Some(Connections {
        steady: instances.desired.checked_mul(each)?,
        live: instances.live.checked_mul(each)?,
        peak: instances.peak.checked_mul(each)?,
    })
}

/// The server's connections, of all parts that take slots.
pub fn total(parts: &[Part], deploys: Deploys) -> Result<Connections, OutOfRange> {
    let claims = parts.iter().filter(|part| part.takes_slots());
    let claims = claims.map(|part| (part.source, part.connections));
    together(claims, deploys).ok_or_else(|| OutOfRange::of("the whole plan"))
}

/// What each user and each database is asked for, for every one that the plan names.
pub fn by_whose(plan: &Plan) -> Result<BTreeMap<Whose, Connections>, OutOfRange> {
    let mut claims: BTreeMap<Whose, Vec<(PartSource, Connections)>> = BTreeMap::new();
    for role in plan.roles.iter().filter(|role| role.via.is_none()) {
        let connections = of_role(role)?.connections;
        for whose in [
            Whose::User(role.user.clone()),
            Whose::Database(role.database.clone()),
        ] {
            claims
                .entry(whose)
                .or_default()
                .push((PartSource::Role, connections));
        }
    }
    for pooler in &plan.poolers {
        let found = pooler_claims(plan, pooler)
            .ok_or_else(|| OutOfRange::of(format!("pooler `{}`", pooler.name)))?;
        for (whose, connections) in found {
            claims
                .entry(whose)
                .or_default()
                .push((PartSource::Pooler, connections));
        }
    }
    for external in plan.externals.iter().filter(|one| takes_a_slot(plan, one)) {
        let user = external.user.clone().map(Whose::User);
        let database = external.database.clone().map(Whose::Database);
        for whose in user.into_iter().chain(database) {
            let connections = of_external(external).connections;
            claims
                .entry(whose)
                .or_default()
                .push((PartSource::External, connections));
        }
    }
    let sums = claims.into_iter().map(|(whose, claims)| {
        let sum = together(claims.into_iter(), plan.policy.deploys);
        let sum = sum.ok_or_else(|| OutOfRange::of(whose.said()))?;
        Ok((whose, sum))
    });
    sums.collect()
}

fn pooler_claims(plan: &Plan, pooler: &Pooler) -> Option<Vec<(Whose, Connections)>> {
    let pairs = pairs(plan, pooler);
    let instances = pooler.deploy.instances(pooler.processes)?;
    let mut claims = BTreeMap::new();
    for (user, database) in &pairs {
        let as_user = pooler::as_user(pooler, &pairs, user)?;
        let to_database = pooler::to_database(pooler, &pairs, database)?;
        claims.insert(Whose::User(user.clone()), times(instances, as_user)?);
        claims.insert(
            Whose::Database(database.clone()),
            times(instances, to_database)?,
        );
    }
    Some(claims.into_iter().collect())
}

/// Everything without a deploy, and at the worst moment of one: all deploys at once, or the
/// largest. What comes only during a deploy comes with any of them.
fn together(
    claims: impl Iterator<Item = (PartSource, Connections)>,
    deploys: Deploys,
) -> Option<Connections> {
    let mut steady = 0_u64;
    let (mut live, mut peak) = (Growth::default(), Growth::default());
    for (source, connections) in claims {
        steady = steady.checked_add(connections.steady)?;
        live.add(source, connections.live - connections.steady)?;
        peak.add(source, connections.peak - connections.steady)?;
    }
    Some(Connections {
        steady,
        live: steady.checked_add(live.at_worst(deploys)?)?,
        peak: steady.checked_add(peak.at_worst(deploys)?)?,
    })
}

/// What deploys add.
#[derive(Default)]
struct Growth {
    all: u64,
    largest: u64,
    in_every_deploy: u64,
}

impl Growth {
    fn add(&mut self, source: PartSource, more: u64) -> Option<()> {
        match source {
            PartSource::External => {
                self.in_every_deploy = self.in_every_deploy.checked_add(more)?;
            }
            PartSource::Role | PartSource::Pooler => {
                self.all = self.all.checked_add(more)?;
                self.largest = self.largest.max(more);
            }
        }
        Some(())
    }

    fn at_worst(&self, deploys: Deploys) -> Option<u64> {
        let of_deploys = match deploys {
            Deploys::Together => self.all,
            Deploys::OneAtATime => self.largest,
        };
        of_deploys.checked_add(self.in_every_deploy)
    }
}

/// `None` when it does not fit.
fn sum(mut numbers: impl Iterator<Item = u64>) -> Option<u64> {
    numbers.try_fold(0_u64, u64::checked_add)
}
