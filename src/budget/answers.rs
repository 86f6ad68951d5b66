//! What would fit, each with the sum that shows it.

use super::OutOfRange;
use super::demand;
use super::fit::{self, Whom};
use super::plan::{Plan, Role};
use super::said::{self, Moment};
use super::starvation;

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What was asked: ``largest pool of `api` ``
    pub question: String,
    /// `None`: not even the smallest fits.
    pub value: Option<u64>,
    /// How it adds up.
    pub sum: String,
    /// Why the number is still not good.
    pub objection: Option<String>,
}

/// All answers, or those for the roles of these names.
///
/// # Errors
/// When a sum does not fit into 64 bits.
pub fn all(plan: &Plan, of: &[String]) -> Result<Vec<Answer>, OutOfRange> {
    let is_meant = |role: &&Role| of.is_empty() || of.contains(&role.name);
    let mut answers = Vec::new();
    let direct = plan.roles.iter().filter(|role| role.via.is_none()).count();
    if of.is_empty() && direct > 1 {
        answers.push(uniform_pool(plan)?);
    }
    for role in plan.roles.iter().filter(is_meant) {
        answers.push(pool_of(plan, role)?);
        answers.push(nodes_of(plan, role)?);
    }
    if of.is_empty() {
        answers.push(max_connections(plan)?);
    }
    Ok(answers)
}

fn uniform_pool(plan: &Plan) -> Result<Answer, OutOfRange> {
    let value = fit::largest_pool(plan, Whom::Everybody);
    let with = fit::with_pool(plan, Whom::Everybody, value.unwrap_or(1));
    Ok(Answer {
        question: "largest pool for all roles".to_owned(),
        value,
        sum: sum(&with)?,
        objection: objections(&with)?,
    })
}

fn pool_of(plan: &Plan, role: &Role) -> Result<Answer, OutOfRange> {
    let whom = Whom::Role(&role.name);
    let value = fit::largest_pool(plan, whom);
    let with = fit::with_pool(plan, whom, value.unwrap_or(1));
    Ok(Answer {
        question: format!("largest pool of `{}`", role.name),
        value,
        sum: sum_for(&with, role)?,
        objection: objections(&with)?,
    })
}

fn nodes_of(plan: &Plan, role: &Role) -> Result<Answer, OutOfRange> {
    let value = fit::most_nodes(plan, &role.name);
    let with = fit::with_nodes(plan, &role.name, value.unwrap_or(1));
    Ok(Answer {
        question: format!("most nodes of `{}`", role.name),
        value,
        sum: sum_for(&with, role)?,
        objection: None,
    })
}

fn max_connections(plan: &Plan) -> Result<Answer, OutOfRange> {
    let parts = demand::parts(plan)?;
    let total = demand::total(&parts, plan.policy.deploys)?;
    let min_free = match plan.policy.min_free {
        0 => String::new(),
        free => format!(" + {free} free"),
    };
    Ok(Answer {
        question: "smallest max_connections".to_owned(),
        value: fit::smallest_max_connections(plan, &total),
        sum: format!(
            "{} at the peak{min_free} + {} kept back",
            total.peak,
            plan.server.kept()
        ),
        objection: None,
    })
}

/// `api 4 x 9 = 36, web 4 x 9 = 36: 72 of 117`
fn sum(plan: &Plan) -> Result<String, OutOfRange> {
    let parts = demand::parts(plan)?;
    let total = demand::total(&parts, plan.policy.deploys)?;
    Ok(format!(
        "{}: {} of {} usable",
        said::products(&parts, Moment::Peak),
        total.peak,
        plan.server.usable()
    ))
}

/// A role behind a pooler takes no slot: its sum is with the pooler's clients.
fn sum_for(plan: &Plan, role: &Role) -> Result<String, OutOfRange> {
    let Some(pooler) = &role.via else {
        return sum(plan);
    };
    let parts = demand::parts(plan)?;
    let clients = parts
        .iter()
        .filter(|part| part.via.as_ref() == Some(pooler));
    let products: Vec<String> = clients
        .map(|part| said::product(part, Moment::Peak))
        .collect();
    let room = plan.poolers.iter().find(|one| one.name == *pooler);
    let room = room.map_or(0, |one| one.processes.saturating_mul(one.max_client_conn));
    Ok(format!(
        "{}: of {room} clients that pooler `{pooler}` takes",
        products.join(", ")
    ))
}

/// A pool that fits the server but starves itself is no answer.
fn objections(plan: &Plan) -> Result<Option<String>, OutOfRange> {
    let mut objections = Vec::new();
    for role in &plan.roles {
        if let Some(pool) = starvation::of_role(role)?
            && pool.pool < pool.smallest_pool
        {
            objections.push(format!(
                "the locks of `{}` need a pool of {}",
                role.name, pool.smallest_pool
            ));
        }
    }
    Ok((!objections.is_empty()).then(|| objections.join(", ")))
}
