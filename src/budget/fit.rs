//! The other way round: what would just fit. Demand grows with every number of the plan, so that a
//! binary search finds the largest.

use super::demand::{self, Connections, PartSource};
use super::plan::{Plan, Role};
use super::server::MOST_CONNECTIONS;

/// Whose number is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whom<'a> {
    /// All roles that connect directly, with the same pool each.
    Everybody,
    Role(&'a str),
}

/// The largest pool of one process, overflow included, with which all fits. `None`: not even 1 does.
pub fn largest_pool(plan: &Plan, whom: Whom<'_>) -> Option<u64> {
    largest(|pool| fits(&with_pool(plan, whom, pool)))
}

/// The most nodes of the role with which all fits. `None`: not even 1 does.
pub fn most_nodes(plan: &Plan, role: &str) -> Option<u64> {
    largest(|nodes| fits(&with_nodes(plan, role, nodes)))
}

/// The smallest max_connections with which slots are left as the policy asks. `None`: PostgreSQL
/// can't have so many.
pub fn smallest_max_connections(plan: &Plan, total: &Connections) -> Option<u64> {
    let needed = total.peak.checked_add(plan.policy.min_free)?;
    let least = needed.checked_add(plan.server.kept())?;
    Some(least).filter(|least| *least <= MOST_CONNECTIONS)
}

/// The plan with this pool, overflow included.
pub fn with_pool(plan: &Plan, whom: Whom<'_>, pool: u64) -> Plan {
    changed(plan, whom, |role| {
        role.pool = pool;
        role.overflow = 0;
    })
}

/// The plan with this many nodes, and no autoscaler.
pub fn with_nodes(plan: &Plan, role: &str, nodes: u64) -> Plan {
    changed(plan, Whom::Role(role), |role| {
        role.nodes = nodes;
        role.max_nodes = None;
    })
}

fn changed(plan: &Plan, whom: Whom<'_>, change: impl Fn(&mut Role)) -> Plan {
    let mut plan = plan.clone();
    for role in &mut plan.roles {
        let is_meant = match whom {
            Whom::Everybody => role.via.is_none(),
            Whom::Role(name) => role.name == name,
        };
        if is_meant {
            change(role);
        }
    }
    plan
}

/// Whether slots, limits and poolers have room. Sums out of range do not fit.
fn fits(plan: &Plan) -> bool {
    has_slots(plan).unwrap_or(false) && is_within_limits(plan) && poolers_have_room(plan)
}

fn has_slots(plan: &Plan) -> Option<bool> {
    let parts = demand::parts(plan).ok()?;
    let total = demand::total(&parts, plan.policy.deploys).ok()?;
    let needed = total.peak.checked_add(plan.policy.min_free)?;
    Some(needed <= plan.server.usable())
}

fn is_within_limits(plan: &Plan) -> bool {
    let Ok(asked) = demand::by_whose(plan) else {
        return false;
    };
    let mut limits = plan.limits.iter();
    limits.all(|limit| {
        let asked = asked.get(&limit.whose);
        asked.is_none_or(|asked| asked.peak <= limit.connections)
    })
}

fn poolers_have_room(plan: &Plan) -> bool {
    let Ok(parts) = demand::parts(plan) else {
        return false;
    };
    plan.poolers.iter().all(|pooler| {
        let mut clients = parts
            .iter()
            .filter(|part| part.source == PartSource::Role)
            .filter(|part| part.via.as_ref() == Some(&pooler.name));
        let asked = clients.try_fold(0_u64, |sum, part| sum.checked_add(part.connections.peak));
        let room = pooler.processes.checked_mul(pooler.max_client_conn);
        asked.zip(room).is_some_and(|(asked, room)| asked <= room)
    })
}

/// The largest number of which `fits` is true, if it is true of 1. What fits beyond any server's
/// reach is not bounded by the budget.
fn largest(fits: impl Fn(u64) -> bool) -> Option<u64> {
    if !fits(1) {
        return None;
    }
    let (mut good, mut bad) = (1, MOST_CONNECTIONS + 1);
    while bad - good > 1 {
        let middle = good.midpoint(bad);
        if fits(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Some(good)
}
