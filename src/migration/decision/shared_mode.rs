//! Shared locks let several work at once, and a lease has one holder.

use super::{Case, Certainty, Decision, Ruling};

pub(super) fn judge(case: &Case<'_>) -> Option<Ruling> {
    let usage = case.usage;
    let excluded = usage.modes.len() > 1;
    usage.is_shared().then(|| {
        let because = match excluded {
            true => {
                "it is taken shared and exclusive, as a lock of readers and a writer: a lease has one \
                 holder, and would make the readers wait for each other"
            }
            false => {
                "it is taken shared: several hold it at once, and a lease has one holder"
            }
        };
        Ruling::decide(Decision::Refuse, Certainty::Certain, because)
    })
}

#[cfg(test)]
mod tests {
    use super::super::planted::Planted;
    use super::*;
    use crate::migration::usage::Mode;

    #[test]
    fn readers_and_a_writer_are_refused() {
        let shared = Planted::key(7).modes(&[Mode::Shared]).ruled_by(judge);
        assert!(shared.is_some_and(|one| one.because.starts_with("it is taken shared:")));
        let both = Planted::key(7).modes(&[Mode::Shared, Mode::Exclusive]);
        assert!(
            both.ruled_by(judge)
                .is_some_and(|one| one.because.contains("a writer"))
        );
    }

    #[test]
    fn an_exclusive_lock_is_none() {
        assert_eq!(
            Planted::key(7).modes(&[Mode::Exclusive]).ruled_by(judge),
            None
        );
    }
}
