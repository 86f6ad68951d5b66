//! `false-exclusion`: a session-level lock on a backend that several clients share.

use super::{Advice, Certainty, Finding, Rule, Severity, said};
use crate::describe;
use crate::hold::{Hold, Scope};
use crate::picture::Picture;
use crate::pooler::backends::{Behind, Matched, Standing};
use crate::text::console_word;

pub(super) const RULE: Rule = Rule {
    name: "false-exclusion",
    summary: "a session-level lock on a backend that several clients share (needs samples, or --pgbouncer)",
    help: "\
Behind a pooler in transaction or statement mode a session-level lock belongs to the server connection,
not to the client that took it. Every client that borrows this connection owns the lock too: it is told
`true` when it asks for it, and two of them work at the same time. The client shown is the latest
borrower, not necessarily the one who locked.

How sure: `certain` when the pooler's console (--pgbouncer) shows a client linked to the backend in
transaction or statement mode, and the server shows the lock outside any transaction before and after;
`likely` when it was outside one in another sample only (`--samples`), or where backend and connection could
be matched by the process id alone. `certain` too when the scan itself came through the pooler and was lent
the backend that holds the lock: a scan takes none. Without a console `likely` at most: when the backend shows
another application_name in another sample (`--samples 5`), when its name or its last statement is a pooler's
own, or when a pooler is likely there and the backend was seen at three statements or more, none of them about
the lock. A program that renames itself, and clients that follow each other in a pool in session mode and lock
one after the other, look the same. `possible` when its last statement sets the new name itself, or one sample
shows another statement than the lock's behind a likely pooler. A leader that works on the connection of its
lock is no finding.

How bad: critical: the exclusion that somebody relies on does not exist. Only a remark when `possible`.

What can't be seen: how often the lock was taken (one row, however often), a client that never came back,
and poolers that drop locks (server_reset_query_always, Odyssey as it comes): these leave no row at all. What each
pooler does to session locks: docs/poolers.md.

What to do: give programs that lock a direct connection or a session-mode pool, or use transaction-level
locks or leases. To free a stranded lock, end the backend while it is idle (its clients don't notice), or
RECONNECT the database in the pooler's console. Never turn server_reset_query_always on for it: the lock
is then lost silently, right after it was taken.",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let (ours, others): (Vec<_>, Vec<_>) = picture
        .holds
        .iter()
        .partition(|hold| hold.pid() == Some(picture.snapshot.viewer.pid));
    let lent = ours.into_iter().map(|hold| lent_to_us(picture, hold));
    let seen = others.into_iter().filter_map(|hold| {
        match picture.behind.standing(hold) {
            Some(Standing::Shared) => lent_to_a_client(picture, hold),
            None if hold.scope == Scope::Session => shared_by_signs(picture, hold),
            // A stranded lock is pooler-leak's.
            Some(Standing::Stranded) | None => None,
        }
    });
    lent.chain(seen).collect()
}

fn lent_to_us(picture: &Picture<'_>, hold: &Hold<'_>) -> Finding {
    let waiters = picture.waiters_of(hold);
    let mut evidence = vec![
        "this scan came through a pooler, was lent the backend that holds the lock, and took none"
            .to_owned(),
    ];
    evidence.extend(said::waiters(&waiters));
    Finding {
        rule: RULE.name,
        severity: Severity::Critical,
        certainty: Certainty::Certain,
        harms: waiters.len(),
        title: format!(
            "{} is held by a backend that a pooler lends to whoever comes, this scan included (pid {})",
            describe::key(picture, said::id(hold)),
            picture.snapshot.viewer.pid
        ),
        evidence,
        pids: hold.pid().into_iter().collect(),
        keys: vec![said::id(hold)],
        advice: advice(picture.behind.session(picture.snapshot.viewer.pid)),
    }
}

/// What the console shows: a client has the backend at the moment, and with it the lock.
fn lent_to_a_client(picture: &Picture<'_>, hold: &Hold<'_>) -> Option<Finding> {
    let session = hold.holder.session()?;
    let behind = picture.behind.session(session.pid)?;
    let waiters = picture.waiters_of(hold);
    let borrowers = picture.behind.borrowers(session.pid);
    let beyond_doubt = picture.behind.rests_twice(hold) && behind.matched == Matched::Address;
    Some(Finding {
        rule: RULE.name,
        severity: Severity::Critical,
        certainty: match beyond_doubt {
            true => Certainty::Certain,
            false => Certainty::Likely,
        },
        harms: waiters.len().max(borrowers.len()),
        title: format!(
            "pid {}, a connection of PgBouncer's pool {}, holds {} and is lent to {}",
            session.pid,
            said::pool_of(behind),
            describe::key(picture, said::id(hold)),
            behind
                .client
                .map_or("a client".to_owned(), describe::pooler_client)
        ),
        evidence: seen_of_clients(picture, hold, behind),
        pids: vec![session.pid],
        keys: vec![said::id(hold)],
        advice: advice(Some(behind)),
    })
}

fn seen_of_clients(picture: &Picture<'_>, hold: &Hold<'_>, behind: &Behind<'_>) -> Vec<String> {
    let borrowers = hold
        .pid()
        .map_or(&[][..], |pid| picture.behind.borrowers(pid));
    let mut evidence = vec![
        said::hold(picture, hold),
        format!(
            "mode {}: the client shown is the latest borrower, not necessarily the one who locked; whoever gets this connection owns the lock too",
            behind.mode.as_str()
        ),
    ];
    if borrowers.len() > 1 {
        evidence.extend(said::borrowers(borrowers));
    }
    evidence.extend(said::matched(behind));
    evidence.extend(said::waiters(&picture.waiters_of(hold)));
    evidence
}

/// What the server alone shows, where no console says who has the backend.
fn shared_by_signs(picture: &Picture<'_>, hold: &Hold<'_>) -> Option<Finding> {
    let session = hold.holder.session()?;
    let pooled = picture.pooled.get(&session.pid)?;
    let certainty = pooled.shared?;
    let waiters = picture.waiters_of(hold);
    let names = picture.history.applications(picture.snapshot, hold.lock);
    let mut evidence: Vec<String> = said::pooled(pooled);
    evidence.push(said::hold(picture, hold));
    evidence.extend(said::waiters(&waiters));
    Some(Finding {
        rule: RULE.name,
        severity: match certainty {
            Certainty::Possible => Severity::Info,
            Certainty::Likely | Certainty::Certain => Severity::Critical,
        },
        certainty,
        harms: waiters.len().max(names.len()),
        title: format!(
            "{} holds {}, {}",
            describe::session(session),
            describe::key(picture, said::id(hold)),
            on_what(certainty, names.len())
        ),
        evidence,
        pids: vec![session.pid],
        keys: vec![said::id(hold)],
        advice: match certainty {
            Certainty::Possible => vec![find_out()],
            Certainty::Likely | Certainty::Certain => advice(picture.behind.session(session.pid)),
        },
    })
}

fn on_what(certainty: Certainty, names: usize) -> String {
    match (certainty, names) {
        (Certainty::Possible, _) => "maybe on a backend that a pooler lends to others".to_owned(),
        (_, 2..) => format!("on a backend that {names} clients share"),
        _ => "on a backend that a pooler lends to others".to_owned(),
    }
}

fn find_out() -> Advice {
    Advice::say(
        "to know it, take several samples (--samples 5), or ask who owns the session's address: a program's host, or a pooler's",
    )
}

fn advice(behind: Option<&Behind<'_>>) -> Vec<Advice> {
    let free = match behind {
        Some(behind) => format!(
            "free it by `RECONNECT {};` in the console at {}, which closes each connection when its client gives it back: clients don't notice",
            console_word(behind.alias()),
            behind.pooler.console
        ),
        None => "free it by RECONNECT of the database in the pooler's console, or end the backend while it is idle: its clients don't notice".to_owned(),
    };
    vec![
        Advice::say(free),
        Advice::say(
            "then give programs that lock a direct connection or a session-mode pool; never server_reset_query_always, which loses locks silently",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Expectations;
    use crate::planted::{Plant, PlantPooler, pooler, quiet};
    use crate::snapshot::SessionState::{Active, Idle};
    use crate::snapshot::{Pooler, Snapshot};

    fn certainty(before: Snapshot, now: Snapshot, pooler: Pooler) -> Option<Certainty> {
        let now = Snapshot {
            poolers: vec![pooler],
            ..now
        };
        let expectations = Expectations::default();
        let found = check(&Picture::of(&[before], &now, &expectations));
        found.first().map(|finding| finding.certainty)
    }

    fn holder() -> Snapshot {
        quiet().session(10, Idle).holds(10, 7)
    }

    #[test]
    fn a_linked_backend_of_a_transaction_pool_shares_its_lock() {
        let lent = || pooler("transaction").serves(10).lends(10, "billing");
        let at_work = quiet().session(10, Active).holds_in_transaction(10, 7);
        assert_eq!(
            certainty(holder(), holder(), lent()),
            Some(Certainty::Certain)
        );
        assert_eq!(
            certainty(holder(), at_work, lent()),
            Some(Certainty::Likely)
        );
    }

    #[test]
    fn clients_that_lock_by_the_transaction_on_one_connection_share_no_lock() {
        let turn = |name, local| {
            let at_work = quiet().session(10, Active).named(10, name);
            let mut sample = at_work.holds_in_transaction(10, 7);
            sample.locks[0].virtualtransaction.local = local;
            sample
        };
        let expectations = Expectations::default();
        let earlier = [turn("a", 1), turn("b", 2)];
        assert!(check(&Picture::of(&earlier, &turn("c", 3), &expectations)).is_empty());
    }

    #[test]
    fn a_console_that_shows_a_pool_by_session_outweighs_a_changed_name() {
        let turn = |name| holder().named(10, name);
        let lent = || pooler("session").serves(10).lends(10, "b");
        assert_eq!(certainty(turn("a"), turn("b"), lent()), None);
        let elsewhere = pooler("session").serves(11);
        assert!(certainty(turn("a"), turn("b"), elsewhere).is_some());
    }

    #[test]
    fn in_session_mode_or_unlinked_it_is_nobody_elses() {
        let session = pooler("session").serves(10).lends(10, "billing");
        assert_eq!(certainty(holder(), holder(), session), None);
        let free = pooler("transaction").serves(10);
        assert_eq!(certainty(holder(), holder(), free), None);
    }
}
