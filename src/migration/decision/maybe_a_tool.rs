//! Numbers that a tool may take too: whoever writes the code knows.

use super::{Case, Certainty, Ruling, known_tool};
use crate::key::naming::summary;

pub(super) fn judge(case: &Case<'_>) -> Option<Ruling> {
    let best = case.known.first()?;
    let may_be = best.certainty == Certainty::Possible && known_tool::is_its_own(best);
    (may_be && case.told.is_empty()).then(|| {
        let tools = summary(case.known).unwrap_or_default();
        let tools = tools.trim_end_matches('?');
        let because = format!("it may be a lock of {tools}: if it is, keep it");
        Ruling::remark(Certainty::Possible, because)
    })
}

#[cfg(test)]
mod tests {
    use super::super::planted::Planted;
    use super::*;

    #[test]
    fn a_number_of_several_tools_is_remarked_on_and_a_sure_one_is_not() {
        let shared = Planted::key(1).known_by_itself();
        assert!(shared.ruled_by(judge).is_some());
        let sure = Planted::key(72_707_369).known_by_itself();
        assert_eq!(sure.ruled_by(judge), None);
        let told = Planted::key(1).known_by_itself().told(&["mine"]);
        assert_eq!(told.ruled_by(judge), None);
    }
}
