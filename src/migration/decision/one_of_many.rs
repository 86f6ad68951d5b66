//! A lock for each row of work: the first half names the kind, the second the row. Claiming the rows
//! themselves, by `FOR UPDATE SKIP LOCKED`, needs neither locks nor leases.

use super::{Case, Certainty, Decision, Ruling};

/// Fewer than this may be a handful of jobs with names of their own.
pub(super) const LEAST: usize = 8;

pub(super) fn judge(case: &Case<'_>) -> Option<Ruling> {
    let family = case.others.family(case.subject);
    (family >= LEAST && case.told.is_empty()).then(|| {
        let because = format!(
            "one of {family} pairs that differ in the second half only, each held by itself: if that \
             half is a row's id, claim the row by FOR UPDATE SKIP LOCKED"
        );
        Ruling::decide(Decision::SkipLocked, Certainty::Likely, because)
    })
}

#[cfg(test)]
mod tests {
    use super::super::planted::Planted;
    use super::*;

    #[test]
    fn many_pairs_of_one_first_half_are_rows() {
        let ruled = Planted::pair(7, 42).family(8).ruled_by(judge);
        assert!(ruled.is_some_and(|one| one.decision == Some(Decision::SkipLocked)));
    }

    #[test]
    fn a_few_are_not_nor_are_those_with_names() {
        assert_eq!(Planted::pair(7, 42).family(7).ruled_by(judge), None);
        assert_eq!(
            Planted::pair(7, 42).family(8).told(&["x"]).ruled_by(judge),
            None
        );
        assert_eq!(Planted::key(7).family(8).ruled_by(judge), None);
    }
}
