//! `orphan-waiter`: a session waits for a lock, and the client that wanted it has left its pooler.

use super::advice::cancel_if_unchanged;
use super::{Advice, Certainty, Finding, Rule, Severity, said};
use crate::describe;
use crate::picture::{LockId, Picture};
use crate::pooler::backends::Orphan;
use crate::snapshot::Owner;

pub(super) const RULE: Rule = Rule {
    name: "orphan-waiter",
    summary: "a session waits for a lock for a client that has left its pooler (needs --pgbouncer)",
    help: "\
When a client leaves while its statement waits for a lock, PgBouncer drops the server connection and forgets
it at once. The backend waits on: it does not look at its socket before it has the lock. Until then it takes
a connection slot and a place in the queue, those behind it wait for nobody, and it holds back vacuum.

How sure: `certain` when an earlier sample of this scan saw the backend in the console's list (`--samples`).
`likely` when it comes from an address that only the pooler's connections come from, to a database and in a
role of its pools, and no console lists it. `possible` where others come from that address too, and on the
server's own machine: an application on the pooler's own host looks the same, and so does another pooler
there, whose console was not given.

How bad: a warning; only a remark while it is possible.

What to do: end the wait by the statement given; nobody is there to miss it. So that PostgreSQL finds out
by itself, set client_connection_check_interval (14 and later), for example to 1s.",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let orphans = picture.behind.orphans().iter();
    orphans
        .filter_map(|orphan| finding(picture, orphan))
        .collect()
}

fn finding(picture: &Picture<'_>, orphan: &Orphan<'_>) -> Option<Finding> {
    let wait = picture.waits.wait_of(orphan.session.pid)?;
    let waiting = said::waited(wait).map_or(String::new(), |time| format!(" {time}"));
    let console = &orphan.pooler.console;
    let gone = match orphan.certainty {
        Certainty::Certain => format!("for a client that has left PgBouncer {console}"),
        _ => format!("and no client of PgBouncer {console} is behind it"),
    };
    let wanted = wait.lock.target.advisory();
    Some(Finding {
        rule: RULE.name,
        severity: match orphan.certainty {
            Certainty::Possible => Severity::Info,
            _ => Severity::Warning,
        },
        certainty: orphan.certainty,
        harms: picture.waits.all_behind(Owner::Session(wait.pid)).len(),
        title: format!(
            "{} waits for {}{waiting} {gone}",
            describe::session(orphan.session),
            describe::target(picture, &wait.lock.target),
        ),
        evidence: vec![how_known(orphan)],
        pids: vec![orphan.session.pid],
        keys: wanted
            .map(|(database, tag)| LockId { database, tag })
            .into_iter()
            .collect(),
        advice: advice(orphan),
    })
}

fn how_known(orphan: &Orphan<'_>) -> String {
    match orphan.certainty {
        Certainty::Certain => {
            "the console listed this connection in an earlier sample, and now it does not, while the server shows it waiting before and after"
        }
        Certainty::Likely => {
            "no console lists it, and it comes from an address that only the pooler's connections come from"
        }
        Certainty::Possible => {
            "no console lists it, and it comes from the pooler's address, but so may others: a program on that host, or another pooler, looks the same"
        }
    }
    .to_owned()
}

fn advice(orphan: &Orphan<'_>) -> Vec<Advice> {
    let text = match orphan.certainty {
        Certainty::Certain => "end the wait: nobody is there to miss it",
        _ => "if no program of yours is behind it, end the wait",
    };
    let cancel = match cancel_if_unchanged(orphan.session) {
        Some(sql) => Advice::run(text, sql),
        None => Advice::say(text),
    };
    vec![
        cancel,
        Advice::say(
            "then set client_connection_check_interval (PostgreSQL 14 and later), so that the server finds out by itself",
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

    fn findings(earlier: Pooler, now: Pooler) -> Vec<Finding> {
        let queue = || {
            quiet()
                .session(10, Idle)
                .at(10, "10.0.0.99")
                .holds(10, 7)
                .session(11, Active)
                .waits(11, 7, 5)
        };
        let with = |pooler| Snapshot {
            poolers: vec![pooler],
            ..queue()
        };
        let (before, now) = (with(earlier), with(now));
        let expectations = Expectations::default();
        check(&Picture::of(&[before], &now, &expectations))
    }

    #[test]
    fn a_waiter_whose_client_left_is_found_with_the_way_to_end_it() {
        let lent = pooler("transaction").serves(11).lends(11, "pod");
        let found = findings(lent, pooler("transaction").has_a_pool());
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].severity, found[0].certainty),
            (Severity::Warning, Certainty::Certain)
        );
        let sql = found[0].advice[0].sql.as_deref().expect("a statement");
        assert!(sql.contains("pg_cancel_backend"), "{sql}");
    }

    #[test]
    fn a_waiter_whose_client_is_there_is_none() {
        let lent = || pooler("transaction").serves(11).lends(11, "pod");
        assert!(findings(lent(), lent()).is_empty());
    }
}
