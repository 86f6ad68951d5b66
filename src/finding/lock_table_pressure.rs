//! `lock-table-pressure`: advisory locks fill the shared lock table.

use super::{Advice, Certainty, Finding, Rule, Severity};
use crate::describe;
use crate::picture::Picture;
use crate::words;

pub(super) const RULE: Rule = Rule {
    name: "lock-table-pressure",
    summary: "advisory locks take half of the shared lock table or more",
    help: "\
Advisory locks always live in the shared lock table, which has max_locks_per_transaction places for
each possible backend and prepared transaction. When it is full every session fails with `out of
shared memory`, and nobody can connect any more, superusers included.

How sure: `certain` as to the sum. The real limit lies somewhat above it, since spare shared memory is
used first, and other locks take places too, which are not counted here.

How bad: a warning from half of the sum on, critical from nine tenths on.

What to do: free the session that holds most; then raise max_locks_per_transaction (needs a restart).",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let size = picture.snapshot.limits.lock_table_size();
    let used = i64::try_from(advisory_rows(picture)).unwrap_or(i64::MAX);
    let severity = match used.saturating_mul(100).checked_div(size) {
        Some(90..) => Severity::Critical,
        Some(50..) => Severity::Warning,
        _ => return Vec::new(),
    };
    vec![finding(picture, severity, used, size)]
}

fn advisory_rows(picture: &Picture<'_>) -> usize {
    let locks = picture.snapshot.locks.iter();
    let shown = locks.filter(|lock| lock.target.advisory().is_some());
    shown.count() + picture.snapshot.left_out
}

fn finding(picture: &Picture<'_>, severity: Severity, used: i64, size: i64) -> Finding {
    let limits = &picture.snapshot.limits;
    let most = picture
        .holders()
        .into_iter()
        .max_by_key(|owner| picture.holds_of(*owner).count());
    let mut evidence = vec![format!(
        "{used} advisory rows; nominal size {size} = max_locks_per_transaction {} × (backends and prepared transactions) {}",
        limits.max_locks_per_transaction,
        size / limits.max_locks_per_transaction.max(1)
    )];
    evidence.extend(most.map(|owner| {
        format!(
            "most of them: {} with {}",
            describe::owner(picture, owner),
            words::count(picture.holds_of(owner).count(), "lock")
        )
    }));
    Finding {
        rule: RULE.name,
        severity,
        certainty: Certainty::Certain,
        harms: 0,
        title: format!(
            "advisory locks fill {} % of the lock table's nominal size",
            used * 100 / size.max(1)
        ),
        evidence,
        pids: most
            .and_then(crate::snapshot::Owner::pid)
            .into_iter()
            .collect(),
        keys: Vec::new(),
        advice: vec![Advice::say(
            "let the session that holds most run SELECT pg_advisory_unlock_all(), or end it; then \
             raise max_locks_per_transaction (needs a restart)",
        )],
    }
}
