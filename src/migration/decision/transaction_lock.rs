//! A transaction-level lock ends at the very moment of the commit. A lease does not, so for work inside
//! one transaction the lock is the better tool.

use super::{Case, Certainty, Decision, Ruling};
use crate::key::naming::Origin;
use crate::migration::usage::{Call, ScopeSeen, Usage};

const FINE: &str = "it ends with its transaction, together with the work";

pub(super) fn judge(case: &Case<'_>) -> Option<Ruling> {
    if case.usage.has_scope(ScopeSeen::Session) {
        return None;
    }
    let (certainty, basis) = basis(case)?;
    Some(Ruling::decide(
        Decision::TransactionLockIsFine,
        certainty,
        format!("{FINE}: {basis}"),
    ))
}

fn basis(case: &Case<'_>) -> Option<(Certainty, &'static str)> {
    let usage = case.usage;
    if usage.has_scope(ScopeSeen::Transaction) {
        return Some((
            Certainty::Certain,
            "a prepared transaction holds it, and only a transaction's locks outlive a session",
        ));
    }
    if usage.calls.contains(&Call::Transaction) && !usage.calls.contains(&Call::Session) {
        return Some((
            Certainty::Likely,
            "who asks for it calls a pg_advisory_xact_lock function",
        ));
    }
    if tool_locks_a_transaction(case) {
        return Some((
            Certainty::Likely,
            "the library that it is known of takes such locks",
        ));
    }
    always_in_a_transaction(usage).then_some((
        Certainty::Possible,
        "every sample that saw it held saw it inside a transaction",
    ))
}

fn tool_locks_a_transaction(case: &Case<'_>) -> bool {
    let best = case.known.first();
    best.is_some_and(|one| {
        let scope = one.scope.as_deref();
        one.origin == Origin::Registry
            && one.certainty > Certainty::Possible
            && scope == Some("transaction")
    })
}

/// Seen often enough for a session's lock to have shown itself between two transactions.
fn always_in_a_transaction(usage: &Usage) -> bool {
    const OFTEN: usize = 10;
    usage.seen_in >= OFTEN
        && usage.has_scope(ScopeSeen::Unknown)
        && !usage.calls.contains(&Call::Session)
}

#[cfg(test)]
mod tests {
    use super::super::planted::{Planted, Usage};
    use super::*;

    fn certainty(usage: Usage) -> Option<Certainty> {
        let ruled = Planted::key(7).used(usage).ruled_by(judge);
        ruled.map(|one| one.certainty)
    }

    fn scoped(scopes: &[ScopeSeen], calls: &[Call], seen_in: usize) -> Usage {
        Usage {
            scopes: scopes.iter().copied().collect(),
            calls: calls.iter().copied().collect(),
            seen_in,
            ..Usage::default()
        }
    }

    #[test]
    fn a_prepared_transaction_proves_it() {
        let usage = scoped(&[ScopeSeen::Transaction], &[], 1);
        assert_eq!(certainty(usage), Some(Certainty::Certain));
    }

    #[test]
    fn the_call_that_asks_for_it_makes_it_likely() {
        let usage = scoped(&[ScopeSeen::Unknown], &[Call::Transaction], 1);
        assert_eq!(certainty(usage), Some(Certainty::Likely));
        let both = scoped(
            &[ScopeSeen::Unknown],
            &[Call::Transaction, Call::Session],
            1,
        );
        assert_eq!(certainty(both), None);
    }

    #[test]
    fn many_samples_inside_transactions_make_it_possible() {
        assert_eq!(
            certainty(scoped(&[ScopeSeen::Unknown], &[], 10)),
            Some(Certainty::Possible)
        );
        assert_eq!(certainty(scoped(&[ScopeSeen::Unknown], &[], 9)), None);
    }

    #[test]
    fn one_hold_of_a_session_makes_it_none() {
        let usage = scoped(
            &[ScopeSeen::Session, ScopeSeen::Transaction],
            &[Call::Transaction],
            99,
        );
        assert_eq!(certainty(usage), None);
    }
}
