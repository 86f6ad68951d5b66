//! A transaction that idles with its lock is no short one: a connection and old rows are kept for the
//! length of whatever else it waits for.

use std::time::Duration;

use super::{Case, Certainty, Ruling};
use crate::migration::usage::ScopeSeen;
use crate::words;

const LONG: Duration = Duration::from_secs(60);

pub(super) fn judge(case: &Case<'_>) -> Option<Ruling> {
    let idle = case
        .usage
        .idle_in_transaction
        .filter(|idle| *idle >= LONG)?;
    let of_session = case.usage.has_scope(ScopeSeen::Session);
    (!of_session).then(|| {
        let because = format!(
            "its transaction did nothing for {}: if it waits for work elsewhere, a lease fits better, \
             with a check of the lease last before the commit",
            words::duration(idle)
        );
        Ruling::remark(Certainty::Likely, because)
    })
}

#[cfg(test)]
mod tests {
    use super::super::planted::{Planted, Usage};
    use super::*;

    #[test]
    fn only_a_transaction_that_idles_long_is_remarked_on() {
        let idle = |seconds| Usage {
            idle_in_transaction: Some(Duration::from_secs(seconds)),
            ..Usage::default()
        };
        assert!(Planted::key(7).used(idle(60)).ruled_by(judge).is_some());
        assert_eq!(Planted::key(7).used(idle(59)).ruled_by(judge), None);
        let of_session = Usage {
            scopes: [ScopeSeen::Session].into(),
            ..idle(600)
        };
        assert_eq!(Planted::key(7).used(of_session).ruled_by(judge), None);
    }
}
