//! A backend that a pooler lends to one client after the other: the old lock excludes nobody there, so a
//! lease is the more needed, and nothing but stopping the old code keeps it away meanwhile.

use super::{Case, Certainty, Ruling};
use crate::words;

const THEN: &str = "behind a pooler in transaction mode the old lock excludes nobody for sure, and can't \
                    keep old code and new code apart: stop the old code first";

pub(super) fn judge(case: &Case<'_>) -> Option<Ruling> {
    let usage = case.usage;
    if usage.lent_to_us {
        let because = format!("a pooler lent us the very backend that holds it; {THEN}");
        return Some(Ruling::remark(Certainty::Certain, because));
    }
    let names: Vec<&str> = usage
        .names_of_one_backend
        .iter()
        .map(String::as_str)
        .collect();
    (names.len() > 1).then(|| {
        let because = format!(
            "one backend that held it showed several names ({}); {THEN}",
            words::some_of(&names, 5)
        );
        Ruling::remark(Certainty::Likely, because)
    })
}

#[cfg(test)]
mod tests {
    use super::super::planted::{Planted, Usage};
    use super::*;

    #[test]
    fn a_backend_of_two_names_is_shared() {
        let shown = |names: &[&str]| Usage {
            names_of_one_backend: names.iter().map(|&name| name.to_owned()).collect(),
            ..Usage::default()
        };
        let two = Planted::key(7).used(shown(&["a", "b"])).ruled_by(judge);
        assert!(two.is_some_and(|one| one.certainty == Certainty::Likely));
        assert_eq!(Planted::key(7).used(shown(&["a"])).ruled_by(judge), None);
    }

    #[test]
    fn our_own_backend_with_a_lock_proves_it() {
        let lent = Usage {
            lent_to_us: true,
            ..Usage::default()
        };
        let ruled = Planted::key(7).used(lent).ruled_by(judge);
        assert!(ruled.is_some_and(|one| one.certainty == Certainty::Certain));
    }
}
