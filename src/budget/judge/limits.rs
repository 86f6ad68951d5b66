//! Whether users and databases stay below their CONNECTION LIMIT.

use crate::budget::OutOfRange;
use crate::budget::assessment::Assessment;
use crate::budget::demand;
use crate::budget::finding::Code;
use crate::budget::plan::Plan;

pub(super) fn check(plan: &Plan, assessment: &mut Assessment) -> Result<(), OutOfRange> {
    let asked = demand::by_whose(plan)?;
    for limit in &plan.limits {
        let whose = limit.whose.said();
        let mut check = assessment.check(format!("limit of {}", whose.replace('`', "")));
        match asked.get(&limit.whose) {
            None => {
                let message = format!("the limit for {whose} matches nothing in the plan");
                check.finds(Code::LimitOfNobody, limit.place, message, Vec::new());
            }
            Some(asked) if asked.peak > limit.connections => {
                let message = format!(
                    "{whose} may open {} connections during a deploy, but its CONNECTION LIMIT is {}: {} too many",
                    asked.peak,
                    limit.connections,
                    asked.peak - limit.connections
                );
                let details = vec![format!(
                    "{} without a deploy; the limit holds whatever else is free",
                    asked.steady
                )];
                check.finds(Code::LimitExceeded, limit.place, message, details);
            }
            Some(_) => (),
        }
    }
    Ok(())
}
