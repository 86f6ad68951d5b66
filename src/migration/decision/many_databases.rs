//! The same number in several databases is several locks, and a lease row is in one database only.

use super::{Case, Certainty, Decision, Ruling};
use crate::words;

pub(super) fn judge(case: &Case<'_>) -> Option<Ruling> {
    let databases = case.others.databases.get(&case.subject.tag)?;
    (databases.len() > 1).then(|| {
        let because = format!(
            "it is used in {} ({}), where it is as many locks: find out which of them are one piece of \
             work and decide for each in the file, or give each database a plan of its own with \
             --database",
            words::count(databases.len(), "database"),
            words::some_of(databases, 5)
        );
        Ruling::decide(Decision::Refuse, Certainty::Certain, because)
    })
}

#[cfg(test)]
mod tests {
    use super::super::planted::Planted;
    use super::*;

    #[test]
    fn a_key_of_two_databases_is_refused() {
        let ruled = Planted::key(7).in_databases(&["archive", "orders"]);
        let ruled = ruled.ruled_by(judge).expect("it is two locks");
        assert_eq!(ruled.decision, Some(Decision::Refuse));
        assert!(ruled.because.contains("2 databases (archive, orders)"));
    }

    #[test]
    fn a_key_of_one_database_is_one_lock() {
        assert_eq!(
            Planted::key(7).in_databases(&["orders"]).ruled_by(judge),
            None
        );
    }
}
