//! A plan, added up and judged.

use super::demand::{self, Connections, Part};
use super::finding::{Code, Finding, Level, Note};
use super::live::Group;
use super::plan::Plan;
use super::server::Server;
use super::starvation::{self, Pressure};
use super::{OutOfRange, judge};
use crate::place::Place;

/// Everything that a report shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assessment {
    pub server: Server,
    pub total: Connections,
    pub parts: Vec<Part>,
    /// Pools that locks are taken from, by the role's name.
    pub pools: Vec<(String, Pressure)>,
    /// Who is connected now; `None` when no server was asked.
    pub connected: Option<Vec<Group>>,
    /// Worst first.
    pub findings: Vec<Finding>,
    pub notes: Vec<Note>,
    /// The names of all checks that were made, also of those that found nothing.
    pub checks: Vec<String>,
}

/// Adds the plan up and judges it.
///
/// # Errors
/// When a sum does not fit into 64 bits.
pub fn assess(plan: &Plan) -> Result<Assessment, OutOfRange> {
    let parts = demand::parts(plan)?;
    let mut assessment = Assessment {
        server: plan.server.clone(),
        total: demand::total(&parts, plan.policy.deploys)?,
        parts,
        pools: pools(plan)?,
        connected: None,
        findings: Vec::new(),
        notes: Vec::new(),
        checks: Vec::new(),
    };
    judge::judge(plan, &mut assessment)?;
    assessment.sort();
    Ok(assessment)
}

fn pools(plan: &Plan) -> Result<Vec<(String, Pressure)>, OutOfRange> {
    let roles = plan.roles.iter();
    let pools = roles.map(|role| Ok((role.name.clone(), starvation::of_role(role)?)));
    let pools: Vec<_> = pools.collect::<Result<_, OutOfRange>>()?;
    let locked = pools.into_iter();
    Ok(locked
        .filter_map(|(name, pool)| Some((name, pool?)))
        .collect())
}

impl Assessment {
    pub fn usable(&self) -> u64 {
        self.server.usable()
    }

    /// Slots that stay free at the peak; negative when too many are asked for.
    pub fn free(&self) -> i128 {
        i128::from(self.usable()) - i128::from(self.total.peak)
    }

    pub fn pool(&self, role: &str) -> Option<&Pressure> {
        let mut pools = self.pools.iter();
        pools.find(|(name, _)| name == role).map(|(_, pool)| pool)
    }

    pub fn worst(&self) -> Option<Level> {
        self.findings.iter().map(Finding::level).max()
    }

    /// Worst first; within a level by code, then in the order of the plan.
    pub fn sort(&mut self) {
        self.findings
            .sort_by_key(|finding| (std::cmp::Reverse(finding.level()), finding.code));
    }

    /// A check that is being made: what it finds is added to it.
    pub fn check(&mut self, name: impl Into<String>) -> Check<'_> {
        let name = name.into();
        self.checks.push(name.clone());
        Check {
            assessment: self,
            name,
        }
    }
}

/// One check under way.
pub struct Check<'a> {
    assessment: &'a mut Assessment,
    name: String,
}

impl Check<'_> {
    pub fn finds(
        &mut self,
        code: Code,
        place: Option<Place>,
        message: String,
        details: Vec<String>,
    ) {
        self.assessment.findings.push(Finding {
            code,
            check: self.name.clone(),
            place,
            message,
            details,
        });
    }

    pub fn notes(&mut self, place: Option<Place>, text: String) {
        self.assessment.notes.push(Note { place, text });
    }
}
