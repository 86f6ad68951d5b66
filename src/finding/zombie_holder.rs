//! `zombie-holder`: a holder that is active by name only.

use super::advice::terminate_if_unchanged;
use super::{Advice, Certainty, Finding, Rule, Severity, said};
use crate::describe;
use crate::hold::{Doing, Hold};
use crate::picture::Picture;
use crate::snapshot::{Owner, Session};
use crate::words;

pub(super) const RULE: Rule = Rule {
    name: "zombie-holder",
    summary: "a holder's session is active, but only sleeps or waits for its client",
    help: "\
A session that runs pg_sleep, or waits for its client to read or send (ClientWrite, ClientRead in the
middle of a statement), counts as active, and its lock is kept. Some programs hold a lock that way on
purpose. When the client is gone without a goodbye, the server does not notice while it sleeps, and not
before TCP gives up while it writes.

How sure: `likely` when it has been so for a minute or more, else `possible`: it may wake at any moment.

How bad: critical when somebody waits for its lock, else a warning from a minute on, and a remark before.

What to do: ask its client's host whether the process is still there; if not, end the session. Set
client_connection_check_interval (14 and later) and TCP keepalives, so that the server finds out itself.",
    check,
};

/// Below this a sleep is a pause.
const LONG: std::time::Duration = std::time::Duration::from_secs(60);

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let findings = picture.holders().into_iter().filter_map(|owner| {
        let holds: Vec<&Hold<'_>> = picture
            .holds_of(owner)
            .filter(|hold| hold.doing() == Doing::Working)
            .collect();
        let session = holds.first()?.holder.session()?;
        let event = idle_event(session)?;
        finding(picture, &holds, session, event)
    });
    findings.collect()
}

/// What an active session waits for when it does no work.
fn idle_event(session: &Session) -> Option<&str> {
    let event = session.wait_event.as_deref()?;
    let idle = matches!(
        (session.wait_event_type.as_deref()?, event),
        ("Timeout", "PgSleep") | ("Client", "ClientWrite" | "ClientRead")
    );
    (idle && session.is_active()).then_some(event)
}

fn finding(
    picture: &Picture<'_>,
    holds: &[&Hold<'_>],
    session: &Session,
    event: &str,
) -> Option<Finding> {
    let running = picture.snapshot.age(session.query_start?);
    if running < picture.expectations.idle_after {
        return None;
    }
    let waits = picture.waiters_of_any(holds);
    let mut evidence = said::holds(picture, holds);
    evidence.extend(said::waiters(&waits));
    evidence.extend(said::last_statement(session));
    Some(Finding {
        rule: RULE.name,
        severity: match waits[..] {
            [_, ..] => Severity::Critical,
            [] if running >= LONG => Severity::Warning,
            // It may be no more than a pause, or a slow client.
            [] => Severity::Info,
        },
        certainty: if running >= LONG {
            Certainty::Likely
        } else {
            Certainty::Possible
        },
        harms: waits.len(),
        title: format!(
            "{} has been active in {event} for {} and holds {}{}",
            describe::session(session),
            words::duration(running),
            said::keys(picture, holds),
            said::and_waiters(waits.len())
        ),
        evidence,
        pids: vec![session.pid],
        keys: said::distinct(holds),
        advice: advice(picture, holds[0], session),
    })
}

fn advice(picture: &Picture<'_>, hold: &Hold<'_>, session: &Session) -> Vec<Advice> {
    let client = session.client_addr.as_deref().unwrap_or("this host");
    let freed = said::freed(picture, Owner::Session(session.pid));
    let gain = freed.map_or(String::new(), |freed| format!(": {freed}"));
    let text = format!(
        "ask {client} whether the process is still there; if it is gone, end this session{gain}"
    );
    let end = match terminate_if_unchanged(hold, session) {
        Some(sql) => Advice::run(text, sql),
        None => Advice::say(text),
    };
    vec![
        end,
        Advice::say(
            "set client_connection_check_interval (14 and later), so that the server notices a lost client",
        ),
    ]
}
