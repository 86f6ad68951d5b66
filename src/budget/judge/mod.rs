//! What is wrong with a plan that has been added up: a file for each side of it.

mod limits;
mod locks;
mod poolers;
mod slots;
mod waits;

use super::OutOfRange;
use super::assessment::Assessment;
use super::plan::Plan;

pub(super) fn judge(plan: &Plan, assessment: &mut Assessment) -> Result<(), OutOfRange> {
    slots::check(plan, assessment);
    limits::check(plan, assessment)?;
    poolers::check(plan, assessment)?;
    for role in &plan.roles {
        locks::check(plan, role, assessment);
        waits::check(role, assessment);
    }
    Ok(())
}
