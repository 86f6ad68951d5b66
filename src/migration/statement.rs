//! What a statement tells of the function that asks for a lock.

use super::usage::Call;

/// `None` where it calls neither kind, or both.
pub(super) fn call(statement: &str) -> Option<Call> {
    let text = statement.to_ascii_lowercase();
    let transaction = ["advisory_xact_lock"];
    let session = ["pg_advisory_lock", "pg_try_advisory_lock"];
    let calls = |names: &[&str]| names.iter().any(|name| text.contains(name));
    match (calls(&session), calls(&transaction)) {
        (true, false) => Some(Call::Session),
        (false, true) => Some(Call::Transaction),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_the_two_kinds_of_function_apart() {
        assert_eq!(call("SELECT pg_advisory_lock($1)"), Some(Call::Session));
        assert_eq!(
            call("select PG_TRY_ADVISORY_LOCK_SHARED(7)"),
            Some(Call::Session)
        );
        assert_eq!(
            call("SELECT pg_try_advisory_xact_lock(7)"),
            Some(Call::Transaction)
        );
        assert_eq!(call("SELECT take_turn(7)"), None);
        let both = "SELECT pg_advisory_lock(1), pg_advisory_xact_lock(2)";
        assert_eq!(call(both), None);
    }
}
