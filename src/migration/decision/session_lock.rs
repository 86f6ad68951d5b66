//! What a lease is for: work that outlives a transaction, and a connection that is kept for nothing else.

use super::{Case, Certainty, Decision, Ruling};
use crate::migration::usage::{Call, ScopeSeen};

pub(super) fn judge(case: &Case<'_>) -> Option<Ruling> {
    let usage = case.usage;
    if !usage.was_seen() {
        return None;
    }
    let (certainty, because) = if usage.has_scope(ScopeSeen::Session) {
        (
            Certainty::Certain,
            "a session-level lock: each hold keeps a connection, and a lease keeps none",
        )
    } else if usage.calls.contains(&Call::Session) {
        (
            Certainty::Likely,
            "who asks for it calls a session-level function: each hold keeps a connection, and a lease \
             keeps none",
        )
    } else {
        (
            Certainty::Possible,
            "whether a session or a transaction holds it was not seen: take more samples, or read the \
             code; for work inside one transaction a transaction-level lock is the better tool",
        )
    };
    Some(Ruling::decide(Decision::Lease, certainty, because))
}

#[cfg(test)]
mod tests {
    use super::super::planted::{Planted, Usage};
    use super::*;
    use crate::planted::now;

    #[test]
    fn a_lease_is_as_sure_as_the_scope() {
        let certainty = |usage: Usage| {
            let seen = Usage {
                last_seen: Some(now()),
                ..usage
            };
            let ruled = Planted::key(7).used(seen).ruled_by(judge);
            ruled.expect("it was seen").certainty
        };
        let held = |scope| Usage {
            scopes: [scope].into(),
            ..Usage::default()
        };
        assert_eq!(certainty(held(ScopeSeen::Session)), Certainty::Certain);
        assert_eq!(certainty(held(ScopeSeen::Unknown)), Certainty::Possible);
        let asked = Usage {
            calls: [Call::Session].into(),
            ..Usage::default()
        };
        assert_eq!(certainty(asked), Certainty::Likely);
        assert_eq!(Planted::key(7).ruled_by(judge), None, "it was never seen");
    }
}
