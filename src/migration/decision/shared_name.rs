//! One name, one key: two names that hash to one key excluded each other so far, and two keys of one name
//! did not. As leases it would be the other way round.

use super::{Case, Certainty, Decision, Ruling};
use crate::words;

pub(super) fn judge(case: &Case<'_>) -> Option<Ruling> {
    two_names(case).or_else(|| two_keys(case))
}

fn two_names(case: &Case<'_>) -> Option<Ruling> {
    (case.told.len() > 1).then(|| {
        let names = quoted(case.told);
        Ruling::decide(
            Decision::Refuse,
            Certainty::Certain,
            format!(
                "{names} give the same key, and so exclude each other today: as leases of their own \
                 they would not"
            ),
        )
    })
}

fn two_keys(case: &Case<'_>) -> Option<Ruling> {
    let [name] = case.told else {
        return None;
    };
    let keys = case.others.keys_of(name, case.subject.database.as_ref());
    (keys.len() > 1).then(|| {
        let because = format!(
            "`{name}` is the name of {} ({}): one lease would make them exclude each other",
            words::count(keys.len(), "key"),
            words::some_of(&keys, 5)
        );
        Ruling::decide(Decision::Refuse, Certainty::Certain, because)
    })
}

fn quoted(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    words::some_of(&quoted, 5)
}

#[cfg(test)]
mod tests {
    use super::super::planted::Planted;
    use super::*;

    #[test]
    fn two_names_of_one_key_are_refused() {
        let ruled = Planted::key(7).told(&["import", "export"]).ruled_by(judge);
        assert!(ruled.is_some_and(|one| one.because.starts_with("`import`, `export` give")));
    }

    #[test]
    fn two_keys_of_one_name_are_refused() {
        let ruled = Planted::key(7)
            .told(&["import"])
            .namesakes("import", &["7", "8"])
            .ruled_by(judge);
        assert!(ruled.is_some_and(|one| one.because.contains("2 keys (7, 8)")));
    }

    #[test]
    fn one_name_of_one_key_is_as_it_should_be() {
        let planted = Planted::key(7).told(&["import"]);
        assert_eq!(planted.namesakes("import", &["7"]).ruled_by(judge), None);
        assert_eq!(Planted::key(7).ruled_by(judge), None);
    }
}
