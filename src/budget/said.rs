//! Sums in words, so that whoever reads a verdict can add it up again.

use super::assessment::Assessment;
use super::demand::{Part, PartSource};
use super::plan::{Plan, Role};
use super::server::Server;
use crate::words;

/// `1 connection`, `2 connections`.
pub fn count(number: u64, noun: &str) -> String {
    words::count(usize::try_from(number).unwrap_or(usize::MAX), noun)
}

/// `is` for one, `are` for several.
pub fn verb<'a>(number: u64, singular: &'a str, plural: &'a str) -> &'a str {
    words::verb(
        usize::try_from(number).unwrap_or(usize::MAX),
        singular,
        plural,
    )
}

/// How one node's connections come about: `5`, `4 x (5 + 10 overflow)`.
pub fn each_node(role: &Role) -> String {
    let own_pools: u64 = role
        .locks
        .iter()
        .filter_map(|lock| lock.own_pool)
        .fold(0, u64::saturating_add);
    let terms: Vec<String> = [
        (role.overflow, " overflow"),
        (own_pools, " for locks"),
        (role.extra, " extra"),
    ]
    .iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, what)| format!(" + {number}{what}"))
    .collect();
    match (role.processes, terms.is_empty()) {
        (1, _) => format!("{}{}", role.pool, terms.concat()),
        (processes, true) => format!("{processes} x {}", role.pool),
        (processes, false) => format!("{processes} x ({}{})", role.pool, terms.concat()),
    }
}

/// `web 4 x 10 = 40` without a deploy, or during one.
pub fn product(part: &Part, moment: Moment) -> String {
    let connections = connections(part, moment);
    let instances = part.instances.map(|instances| match moment {
        Moment::Steady => instances.desired,
        Moment::Peak => instances.peak,
    });
    match instances {
        Some(instances) => format!("{} {instances} x {} = {connections}", part.name, part.each),
        None => format!("{} {connections}", part.name),
    }
}

fn connections(part: &Part, moment: Moment) -> u64 {
    match moment {
        Moment::Steady => part.connections.steady,
        Moment::Peak => part.connections.peak,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    Steady,
    Peak,
}

/// All products of what takes slots, as one line.
pub fn products(parts: &[Part], moment: Moment) -> String {
    let parts: Vec<String> = parts
        .iter()
        .filter(|part| part.takes_slots() && connections(part, moment) > 0)
        .map(|part| product(part, moment))
        .collect();
    parts.join(", ")
}

/// `2 nodes, 4 in a deploy`; for a pooler its processes.
pub fn instances(part: &Part) -> String {
    let Some(instances) = part.instances else {
        return String::new();
    };
    let noun = match part.source {
        PartSource::Pooler => "process",
        _ => "node",
    };
    let desired = match (noun, instances.desired) {
        ("process", many @ 2..) => format!("{many} processes"),
        (noun, number) => count(number, noun),
    };
    match instances.peak {
        peak if peak == instances.desired => desired,
        peak => format!("{desired}, {peak} in a deploy"),
    }
}

/// Who keeps slots from ordinary roles: `3 are kept for superusers`.
pub fn kept(server: &Server) -> String {
    let kept: Vec<String> = [
        (server.superuser_reserved, "for superusers"),
        (server.reserved, "by reserved_connections"),
        (server.provider_reserved, "by the provider"),
    ]
    .iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, whom)| format!("{number} {} kept {whom}", verb(*number, "is", "are")))
    .collect();
    match kept.is_empty() {
        true => "none is kept back".to_owned(),
        false => kept.join(", "),
    }
}

/// How a policy of one deploy after another changes the sum.
pub fn how_deploys_add_up(plan: &Plan) -> Option<String> {
    match plan.policy.deploys {
        super::plan::Deploys::Together => None,
        super::plan::Deploys::OneAtATime => {
            Some("deploys come one at a time: only the one that adds most is counted".to_owned())
        }
    }
}

/// `48 of 120 connections at the peak: 117 are usable (3 are kept for superusers), 69 stay free; 24
/// without a deploy`
pub fn verdict(assessment: &Assessment) -> String {
    let usable = assessment.usable();
    let rest = match assessment.free() {
        free @ 0.. => {
            let free = u64::try_from(free).unwrap_or(u64::MAX);
            format!("{free} {} free", verb(free, "stays", "stay"))
        }
        missing => format!("{} too many", missing.unsigned_abs()),
    };
    format!(
        "{} of {} connections at the peak: {usable} {} usable ({}), {rest}; {} without a deploy",
        assessment.total.peak,
        assessment.server.max_connections,
        verb(usable, "is", "are"),
        kept(&assessment.server),
        assessment.total.steady
    )
}
