//! A lock that no SQL function can have taken: an extension's C code did, and no name of ours reaches it.

use super::{Case, Certainty, Decision, Ruling};
use crate::migration::usage::Mode;

pub(super) fn judge(case: &Case<'_>) -> Option<Ruling> {
    let foreign_mode = case.usage.modes.iter().find_map(|mode| match mode {
        Mode::Other(word) => Some(word),
        _ => None,
    });
    let because = match (case.subject.tag.key(), foreign_mode) {
        (None, _) => format!(
            "an extension's own lock: no SQL function takes one with objsubid {}",
            case.subject.tag.objsubid
        ),
        (Some(_), Some(mode)) => {
            format!("an extension's own lock: no SQL function takes one in {mode}")
        }
        (Some(_), None) => return None,
    };
    Some(Ruling::decide(
        Decision::Refuse,
        Certainty::Certain,
        because,
    ))
}

#[cfg(test)]
mod tests {
    use super::super::planted::{Planted, Usage};
    use super::*;
    use crate::key::AdvisoryTag;

    #[test]
    fn another_key_space_or_mode_is_an_extensions() {
        let tag = AdvisoryTag {
            classid: 0,
            objid: 102_008,
            objsubid: 5,
        };
        let of_citus = Planted::tag(tag).ruled_by(judge);
        assert!(of_citus.is_some_and(|one| one.because.contains("objsubid 5")));
        let mode = Mode::Other("RowExclusiveLock".to_owned());
        let used = Usage {
            modes: [mode].into(),
            ..Usage::default()
        };
        let of_pg_lake = Planted::key(7).used(used).ruled_by(judge);
        assert!(of_pg_lake.is_some_and(|one| one.because.contains("RowExclusiveLock")));
    }

    #[test]
    fn a_key_that_sql_can_take_is_none() {
        assert_eq!(Planted::key(7).idle_holder().ruled_by(judge), None);
    }
}
