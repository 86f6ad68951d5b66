//! `prepared-holder`: a prepared transaction holds an advisory lock, and no session does.

use super::advice::roll_back;
use super::{Advice, Certainty, Finding, Rule, Severity, said};
use crate::describe;
use crate::hold::Hold;
use crate::picture::Picture;
use crate::snapshot::{Owner, PreparedTransaction};
use crate::waits::Wait;

pub(super) const RULE: Rule = Rule {
    name: "prepared-holder",
    summary: "a prepared transaction holds an advisory lock: there is no session to end",
    help: "\
PREPARE TRANSACTION hands a transaction's locks to nobody: pid is NULL in pg_locks, and a join with
pg_stat_activity loses the row. The lock stays until COMMIT PREPARED or ROLLBACK PREPARED, also
through restarts and failovers.

How sure: `certain`. The global id comes from the transaction's own transactionid lock.

How bad: critical when somebody waits for the lock, else a warning.

What to do: ask the transaction manager that prepared it, which may still want to commit; if it is
gone, end the transaction in its own database, as its owner or a superuser. pg_terminate_backend and
pg_cancel_backend can't reach it.",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let prepared = picture
        .holders()
        .into_iter()
        .filter(|owner| matches!(owner, Owner::Prepared(_)));
    prepared
        .map(|owner| finding(picture, owner, &picture.holds_of(owner).collect::<Vec<_>>()))
        .collect()
}

fn finding(picture: &Picture<'_>, owner: Owner, holds: &[&Hold<'_>]) -> Finding {
    let waits = picture.waiters_of_any(holds);
    let prepared = picture.prepared(owner);
    let waiting = said::and_waiters(waits.len());
    Finding {
        rule: RULE.name,
        severity: if waits.is_empty() {
            Severity::Warning
        } else {
            Severity::Critical
        },
        certainty: Certainty::Certain,
        harms: waits.len(),
        title: format!(
            "{} holds {}{waiting}",
            describe::owner(picture, owner),
            said::keys(picture, holds)
        ),
        evidence: evidence(picture, holds, prepared, &waits),
        pids: Vec::new(),
        keys: said::distinct(holds),
        advice: advice(picture, owner, prepared),
    }
}

fn evidence(
    picture: &Picture<'_>,
    holds: &[&Hold<'_>],
    prepared: Option<&PreparedTransaction>,
    waits: &[&Wait<'_>],
) -> Vec<String> {
    let mut lines = said::holds(picture, holds);
    if let Some(prepared) = prepared {
        let by = prepared.owner.as_deref().unwrap_or("an unnamed role");
        lines.push(format!("prepared by {by}; no session is left to end"));
    }
    lines.extend(said::waiters(waits));
    lines
}

fn advice(
    picture: &Picture<'_>,
    owner: Owner,
    prepared: Option<&PreparedTransaction>,
) -> Vec<Advice> {
    let Some(prepared) = prepared else {
        return vec![Advice::say(
            "look its global id up in pg_prepared_xacts: it was not listed when this scan read it",
        )];
    };
    let gain = said::freed(picture, owner).map_or(String::new(), |freed| format!(": {freed}"));
    vec![
        Advice::say(
            "ask the transaction manager that prepared it first: it may still want COMMIT PREPARED",
        ),
        roll_back(
            picture,
            prepared,
            &format!("if it is abandoned, roll it back{gain}"),
        ),
    ]
}
