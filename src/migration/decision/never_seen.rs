//! A key that somebody wrote down and no sample has shown: what they say of it holds.

use super::{Case, Certainty, Decision, Ruling};

pub(super) fn judge(case: &Case<'_>) -> Option<Ruling> {
    (!case.usage.was_seen()).then(|| {
        Ruling::decide(
            Decision::Lease,
            Certainty::Possible,
            "it was never seen, so nothing speaks against a lease: look for longer, with --for",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::planted::Planted;
    use super::*;

    #[test]
    fn only_a_key_that_was_never_seen_is_unknown() {
        assert!(Planted::key(7).ruled_by(judge).is_some());
        assert_eq!(Planted::key(7).idle_holder().ruled_by(judge), None);
    }
}
