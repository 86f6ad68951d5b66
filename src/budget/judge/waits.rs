//! How long one waits for a lock's connection: an estimate, and a finding only where the plan asks.

use std::time::Duration;

use crate::budget::assessment::{Assessment, Check};
use crate::budget::finding::Code;
use crate::budget::plan::{Lock, Role};
use crate::budget::said::count;
use crate::budget::waiting::{Estimate, Offered};

pub(super) fn check(role: &Role, assessment: &mut Assessment) {
    for lock in &role.locks {
        if let Some(offered) = offered(role, lock) {
            let name = format!("role {}: waits for {} are bounded", role.name, lock.name);
            one(role, lock, offered, &mut assessment.check(name));
        }
    }
}

/// As many work at once as may hold, if the pool has connections for them.
fn offered(role: &Role, lock: &Lock) -> Option<Offered> {
    let pool = lock.own_pool.or_else(|| role.pool_ceiling())?;
    Some(Offered {
        rate: lock.rate?,
        hold: lock.hold?,
        servers: lock.concurrency.min(pool),
    })
}

fn one(role: &Role, lock: &Lock, offered: Offered, check: &mut Check<'_>) {
    let whose = format!("role `{}`, lock `{}`", role.name, lock.name);
    let Some(estimate) = offered.estimate() else {
        let message = format!(
            "{whose}: {:.1} holders would be busy at this rate, and {} at once {} allowed: the queue grows for ever",
            offered.load(),
            offered.servers,
            if offered.servers == 1 { "is" } else { "are" }
        );
        let details =
            vec!["hold for a shorter time, lower the rate, or allow more at once".to_owned()];
        check.finds(Code::QueueGrows, lock.place, message, details);
        return;
    };
    let said = said(&estimate, offered);
    match lock.max_wait {
        Some(most) if estimate.p99 > most => {
            let message = format!(
                "{whose}: 1 of 100 waits {} or longer, and max_wait is {} (an estimate)",
                short(estimate.p99),
                short(most)
            );
            check.finds(Code::WaitTooLong, lock.place, message, vec![said]);
        }
        _ => check.notes(lock.place, format!("{whose}: {said}")),
    }
}

fn said(estimate: &Estimate, offered: Offered) -> String {
    format!(
        "of {} {:.1} are busy on average; {:.1} % have to wait, {} on average (constant holds: {}), \
         99 of 100 at most {}; without waiting {:.1} % would be turned away (estimates for arrivals \
         at random)",
        count(offered.servers, "holder"),
        estimate.load,
        estimate.waiting * 100.0,
        short(estimate.mean),
        short(estimate.mean / 2),
        short(estimate.p99),
        estimate.turned_away * 100.0
    )
}

/// Three digits are more than an estimate has.
fn short(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    match seconds {
        0.0 => "0 ms".to_owned(),
        _ if seconds < 0.001 => "less than 1 ms".to_owned(),
        _ if seconds < 1.0 => format!("{:.0} ms", seconds * 1000.0),
        _ if seconds < 60.0 => format!("{seconds:.1} s"),
        _ => crate::words::duration(duration),
    }
}
