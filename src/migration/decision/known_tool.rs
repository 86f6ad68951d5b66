//! A tool's own lock stays the tool's: it is taken by code that nobody here writes. A lock library's
//! locks are the application's own.

use super::{Case, Certainty, Decision, Ruling};
use crate::key::known::registry;
use crate::key::naming::{Candidate, Origin};

pub(super) fn judge(case: &Case<'_>) -> Option<Ruling> {
    let best = case.known.first().filter(|one| is_its_own(one))?;
    let because = match kind(best) == Some("migration tool") {
        true => format!(
            "{} takes it for {}, and knows no other lock",
            best.tool, best.purpose
        ),
        false => format!(
            "{} takes it for {}: its lock, not yours",
            best.tool, best.purpose
        ),
    };
    (best.certainty > Certainty::Possible)
        .then(|| Ruling::decide(Decision::Keep, best.certainty, because))
}

/// Whether the tool's own code decides when it is taken.
pub(super) fn is_its_own(candidate: &Candidate) -> bool {
    candidate.origin == Origin::Registry && kind(candidate) != Some("lock library")
}

fn kind(candidate: &Candidate) -> Option<&'static str> {
    let tools = &registry().tools;
    let tool = tools.iter().find(|tool| tool.id == candidate.id)?;
    Some(&tool.kind)
}

#[cfg(test)]
mod tests {
    use super::super::planted::Planted;
    use super::*;

    #[test]
    fn a_migration_tools_lock_is_kept() {
        let ruled = Planted::key(72_707_369).known_by_itself().ruled_by(judge);
        let ruled = ruled.expect("it is Prisma's");
        assert_eq!(ruled.decision, Some(Decision::Keep));
        assert!(
            ruled.because.starts_with("Prisma Migrate takes it"),
            "{ruled:?}"
        );
    }

    #[test]
    fn a_number_beside_it_is_nobodys() {
        let ruled = Planted::key(72_707_370).known_by_itself().ruled_by(judge);
        assert_eq!(ruled, None);
    }

    #[test]
    fn a_name_that_people_gave_is_no_tool() {
        let ruled = Planted::key(7).known_as("import").ruled_by(judge);
        assert_eq!(ruled, None);
    }
}
