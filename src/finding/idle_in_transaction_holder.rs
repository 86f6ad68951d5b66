//! `idle-in-transaction-holder`: an open transaction that does nothing holds an advisory lock.

use super::advice::{contended, end_session};
use super::{Advice, Certainty, Finding, Rule, resting_severity, said};
use crate::describe;
use crate::hold::{Doing, Hold};
use crate::picture::Picture;
use crate::snapshot::{Owner, Session, SessionState};
use crate::try_lock;
use crate::waits::Wait;
use crate::words;

pub(super) const RULE: Rule = Rule {
    name: "idle-in-transaction-holder",
    summary: "a session holds an advisory lock inside a transaction and is idle",
    help: "\
A transaction that is open and does nothing keeps its transaction-level locks, and its connection,
until it ends: typically a worker that waits for a slow remote call between two statements.

How sure: `certain` when the state is seen. `possible` when it is hidden: the session is in a
transaction, but may be at work. Whether the lock is the transaction's or the session's can't be
told from one sample inside a transaction; ending the session frees both. Such a transaction holds back
VACUUM only while it has a snapshot: under READ COMMITTED a SELECT leaves none, under REPEATABLE READ it
does.

How bad: critical when somebody waits for the lock, else a warning; only a remark while it has been
idle for less than `--idle-after`. Where samples show a contended lock in other hands each time
(holder-churn), the session that has it at the moment is left alone.

What to do: let the worker finish if it soon will; else end the session by the statement given. Its
transaction is rolled back, so what it wrote is lost, and what it did outside the database is not
undone. pg_cancel_backend does nothing to an idle session. Afterwards: take the lock around the short
part only, or hold a lease; set idle_in_transaction_session_timeout.",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let findings = picture.holders().into_iter().filter_map(|owner| {
        let holds: Vec<&Hold<'_>> = picture
            .holds_of(owner)
            .filter(|hold| {
                matches!(
                    hold.doing(),
                    Doing::IdleInTransaction | Doing::UnseenInTransaction
                )
            })
            .filter(|hold| !picture.is_passed_on(hold))
            .collect();
        let session = holds.first()?.holder.session()?;
        finding(picture, &holds, session)
    });
    findings.collect()
}

/// A transaction whose state is hidden is worth a word only when somebody waits for it.
fn finding(picture: &Picture<'_>, holds: &[&Hold<'_>], session: &Session) -> Option<Finding> {
    let waits = picture.waiters_of_any(holds);
    let seen = holds[0].doing() == Doing::IdleInTransaction;
    if !seen && waits.is_empty() {
        return None;
    }
    Some(Finding {
        rule: RULE.name,
        severity: resting_severity(picture, holds[0], &waits),
        certainty: if seen {
            Certainty::Certain
        } else {
            Certainty::Possible
        },
        harms: picture.waits.all_behind(holds[0].owner()).len(),
        title: title(picture, holds, session, &waits),
        evidence: evidence(picture, holds, session, &waits),
        pids: vec![session.pid],
        keys: said::distinct(holds),
        advice: advice(picture, holds, session),
    })
}

fn title(
    picture: &Picture<'_>,
    holds: &[&Hold<'_>],
    session: &Session,
    waits: &[&Wait<'_>],
) -> String {
    let state = match (holds[0].doing(), holds[0].at_least) {
        (Doing::IdleInTransaction, Some(idle)) => {
            format!(
                "has been idle in a transaction for {}",
                words::duration(idle)
            )
        }
        (Doing::IdleInTransaction, None) => "is idle in a transaction".to_owned(),
        _ => "is in a transaction, idle or at work (its state is hidden),".to_owned(),
    };
    format!(
        "{} {state} and holds {}{}{}",
        describe::session(session),
        said::keys(picture, holds),
        said::and_waiters(waits.len()),
        said::and_refused(&try_lock::refused(picture, holds))
    )
}

fn evidence(
    picture: &Picture<'_>,
    holds: &[&Hold<'_>],
    session: &Session,
    waits: &[&Wait<'_>],
) -> Vec<String> {
    let mut lines = said::holds(picture, holds);
    if let Some(began) = session.xact_start {
        let open = words::duration(picture.snapshot.age(began));
        lines.push(format!("its transaction has been open for {open}"));
    }
    if session.state == Some(SessionState::IdleInTransactionAborted) {
        lines.push("its transaction has failed and can only be rolled back".to_owned());
    }
    lines.extend(session.xmin_age.map(|age| {
        format!(
            "its snapshot keeps VACUUM from what died in the last {}",
            words::count(usize::try_from(age).unwrap_or(0), "transaction")
        )
    }));
    lines.extend(said::waiters(waits));
    lines.extend(said::refused(&try_lock::refused(picture, holds)));
    lines.extend(said::last_statement(session));
    lines.extend(said::may_be_inherited(picture, holds, session));
    lines
}

fn advice(picture: &Picture<'_>, holds: &[&Hold<'_>], session: &Session) -> Vec<Advice> {
    let freed = said::freed(picture, Owner::Session(session.pid));
    let gain = freed.map_or(String::new(), |freed| format!(": {freed}"));
    let caution = "its transaction is rolled back, what it did outside the database is not";
    vec![end_session(
        format!("if it will not end soon by itself, end this session{gain}; {caution}"),
        contended(picture, holds),
        session,
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Expectations;
    use crate::planted::{Plant, PlantPooler, pooler, quiet};
    use crate::snapshot::SessionState::IdleInTransaction;
    use crate::snapshot::Snapshot;

    #[test]
    fn a_client_that_may_have_the_lock_of_an_earlier_one_is_said_to() {
        let says = |mode: &str| {
            let holder = quiet().session(10, IdleInTransaction);
            let now = Snapshot {
                poolers: vec![pooler(mode).serves(10).lends(10, "api")],
                ..holder.holds_in_transaction(10, 7)
            };
            let expectations = Expectations::default();
            let found = check(&Picture::of(&[], &now, &expectations));
            let mut lines = found[0].evidence.iter();
            lines.any(|line| line.contains("an earlier client may have left the lock there"))
        };
        assert!(says("transaction"));
        assert!(!says("session"));
    }
}
