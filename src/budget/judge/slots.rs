//! Whether the server has slots for all.

use crate::budget::assessment::Assessment;
use crate::budget::deploy::{Share, Strategy};
use crate::budget::finding::Code;
use crate::budget::fit;
use crate::budget::plan::{Plan, Role};
use crate::budget::said::{self, Moment, count, verb};

pub(super) fn check(plan: &Plan, assessment: &mut Assessment) {
    steady(plan, assessment);
    peak(plan, assessment);
    for role in &plan.roles {
        slip(role, assessment);
    }
}

fn steady(plan: &Plan, assessment: &mut Assessment) {
    let (usable, needed) = (assessment.usable(), assessment.total.steady);
    let products = said::products(&assessment.parts, Moment::Steady);
    let mut check = assessment.check("steady fits");
    if needed > usable {
        let message = format!(
            "without any deploy {} may be open, but {}: {} too many",
            count(needed, "connection"),
            usable_of(plan),
            needed - usable
        );
        check.finds(
            Code::SteadyTooHigh,
            plan.server.place,
            message,
            vec![products],
        );
    }
}

fn peak(plan: &Plan, assessment: &mut Assessment) {
    let (usable, needed) = (assessment.usable(), assessment.total.peak);
    let details = peak_details(plan, assessment);
    let policy = &plan.policy;
    let place = plan.server.place;
    let live = assessment.total.live;
    let mut check = assessment.check("peak fits");
    if live < needed {
        let text = format!(
            "{live} at the peak if what shuts down closes its connections at once (draining = false)"
        );
        check.notes(place, text);
    }
    if needed > usable {
        let message = format!(
            "during a deploy {} may be open, but {}: {} too many",
            count(needed, "connection"),
            usable_of(plan),
            needed - usable
        );
        check.finds(Code::PeakTooHigh, place, message, details);
    } else if usable - needed < policy.min_free {
        let free = usable - needed;
        let message = format!(
            "{free} of {usable} usable slots {} free at the peak, but min_free asks for {}",
            verb(free, "stays", "stay"),
            policy.min_free
        );
        check.finds(Code::TooFewFree, place, message, details);
    } else if is_above(needed, usable, policy.warn_above) {
        let message = format!(
            "at the peak {needed} of {usable} usable slots may be taken ({} %), more than {} %",
            percent(needed, usable),
            policy.warn_above
        );
        check.finds(Code::NearlyFull, place, message, details);
    }
}

/// `only 117 of max_connections 120 are usable (3 are kept for superusers)`
fn usable_of(plan: &Plan) -> String {
    let server = &plan.server;
    let usable = server.usable();
    format!(
        "only {usable} of max_connections {} {} usable ({})",
        server.max_connections,
        verb(usable, "is", "are"),
        said::kept(server)
    )
}

fn peak_details(plan: &Plan, assessment: &Assessment) -> Vec<String> {
    let mut details = vec![said::products(&assessment.parts, Moment::Peak)];
    details.extend(said::how_deploys_add_up(plan));
    let direct = plan.roles.iter().filter(|role| role.via.is_none()).count();
    match (direct, fit::largest_pool(plan, fit::Whom::Everybody)) {
        (0, _) => (),
        (1, Some(pool)) => details.push(format!("the largest pool that fits is {pool}")),
        (many, Some(pool)) => {
            details.push(format!(
                "the largest pool that fits all {many} roles is {pool}"
            ));
        }
        (_, None) => {
            details.push("no pool is small enough: take nodes or processes away".to_owned())
        }
    }
    let least = fit::smallest_max_connections(plan, &assessment.total);
    if let Some(least) = least.filter(|_| assessment.free() < i128::from(plan.policy.min_free)) {
        details.push(format!("or max_connections = {least} (a restart)"));
    }
    details
}

fn is_above(needed: u64, usable: u64, percent: u64) -> bool {
    u128::from(needed) * 100 > u128::from(usable) * u128::from(percent)
}

fn percent(part: u64, whole: u64) -> u128 {
    u128::from(part) * 100 / u128::from(whole).max(1)
}

/// `max_surge = 25` is easily written for `"25%"`.
fn slip(role: &Role, assessment: &mut Assessment) {
    let Strategy::Rolling {
        max_surge,
        max_unavailable,
    } = role.deploy.strategy
    else {
        return;
    };
    let name = &role.name;
    let desired = role.desired();
    let mut check = assessment.check(format!("role {name}: the deploy makes sense"));
    for (key, share) in [
        ("max_surge", max_surge),
        ("max_unavailable", max_unavailable),
    ] {
        if let Share::Count(number) = share
            && number > desired
        {
            let message = format!(
                "role `{name}`: {key} = {number} means {number} instances, and there are {desired}"
            );
            let advice = format!("for a percentage write {key} = \"{number}%\"");
            check.finds(Code::LooksLikeASlip, role.place, message, vec![advice]);
        }
    }
}
