//! A take and a release each cost a flush to disk, an advisory lock none: for locks that are held for
//! moments a lease is the wrong tool.

use std::time::Duration;

use super::{Case, Certainty, Ruling};
use crate::migration::usage::{ScopeSeen, Upper};
use crate::words;

const BRIEF: Duration = Duration::from_secs(1);

pub(super) fn judge(case: &Case<'_>) -> Option<Ruling> {
    let Some(Upper::Of(most)) = case.usage.held_at_most else {
        return None;
    };
    let is_brief = most < BRIEF && case.usage.has_scope(ScopeSeen::Session);
    is_brief.then(|| {
        let because = format!(
            "it was held for {} at most: a lease costs two flushes to disk each time, so a \
             transaction-level lock may fit better",
            words::duration(most)
        );
        Ruling::remark(Certainty::Possible, because)
    })
}

#[cfg(test)]
mod tests {
    use super::super::planted::{Planted, Usage};
    use super::*;

    #[test]
    fn only_what_is_surely_brief_is_remarked_on() {
        let held = |most| Usage {
            scopes: [ScopeSeen::Session].into(),
            held_at_most: Some(most),
            ..Usage::default()
        };
        let ruled = |most| Planted::key(7).used(held(most)).ruled_by(judge);
        assert!(ruled(Upper::Of(Duration::from_millis(999))).is_some());
        assert_eq!(ruled(Upper::Of(BRIEF)), None);
        assert_eq!(ruled(Upper::Unknown), None);
    }
}
