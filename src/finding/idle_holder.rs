//! `idle-holder`: a session that holds an advisory lock and does nothing.

use super::advice::{contended, end_session};
use super::circle::Circle;
use super::{Advice, Certainty, Finding, Rule, resting_severity, said};
use crate::describe;
use crate::hold::{Doing, Hold};
use crate::picture::Picture;
use crate::pooler::signs::Pooled;
use crate::snapshot::{Owner, Session};
use crate::try_lock;
use crate::waits::Wait;
use crate::words;

pub(super) const RULE: Rule = Rule {
    name: "idle-holder",
    summary: "a session holds an advisory lock and is idle, outside any transaction",
    help: "\
A session-level advisory lock stays until it is unlocked or its session ends. An idle session that
holds one keeps a connection busy and everybody who wants the key waiting, and looks like a session
that nobody needs to suspect. Who asks with pg_try_advisory_lock, again and again, never waits and has no
row in pg_locks: such sessions are told by their last statement, where its text shows the key.

How sure: `certain` when the session's state is seen. `likely` when its state is hidden or not
tracked: its virtual transaction is n/0, so it is outside any transaction, at most between two
statements.

How bad: critical when somebody waits for the lock or its pool is starved, else a warning; only a remark while it has been
idle for less than `--idle-after`. A lock that is held on purpose (a leader's) looks the same:
contention, not age, makes it a problem. Where samples show a contended lock in other hands each time
(holder-churn), the session that has it at the moment is left alone. What a pooler's console shows to be
left on a connection that no client has is a pooler-leak.

What to do: end that one session, by the statement given, which checks that it is still the session
that was seen. pg_cancel_backend does nothing to an idle session, and no other session can unlock
for it. Look first whose work the lock protects: if its process is alive and still believes that it
holds the lock, ending the session can let the same work run twice.

Behind a pooler the session is the pooler's connection: the finding says so where the server shows it, the
name shown is then the latest borrower's, and ending the session ends no client's connection, unless the
pool is by session (docs/poolers.md).

For how long: at least since it fell idle, at most since its session began. The server keeps no time
of the grant, and the session's last statement need not be the one that took the lock.",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let circles = Circle::all(picture);
    let findings = picture.holders().into_iter().filter_map(|owner| {
        let holds: Vec<&Hold<'_>> = picture
            .holds_of(owner)
            .filter(|hold| matches!(hold.doing(), Doing::Idle | Doing::LikelyIdle))
            .filter(|hold| !picture.is_passed_on(hold) && !picture.is_stranded(hold))
            .collect();
        let session = holds.first()?.holder.session()?;
        let circle = circles.iter().find(|circle| circle.root.pid == session.pid);
        Some(finding(picture, &holds, session, circle))
    });
    findings.collect()
}

fn finding(
    picture: &Picture<'_>,
    holds: &[&Hold<'_>],
    session: &Session,
    circle: Option<&Circle<'_>>,
) -> Finding {
    let waits = picture.waiters_of_any(holds);
    let certainty = match holds[0].doing() {
        Doing::Idle => Certainty::Certain,
        _ => Certainty::Likely,
    };
    Finding {
        rule: RULE.name,
        severity: resting_severity(picture, holds[0], &waits),
        certainty,
        harms: picture.waits.all_behind(holds[0].owner()).len(),
        title: title(picture, holds, session, &waits),
        evidence: evidence(picture, holds, session, &waits),
        pids: vec![session.pid],
        keys: said::distinct(holds),
        advice: advice(picture, holds, session, circle),
    }
}

fn title(
    picture: &Picture<'_>,
    holds: &[&Hold<'_>],
    session: &Session,
    waits: &[&Wait<'_>],
) -> String {
    let idle = match (holds[0].doing(), holds[0].at_least) {
        (Doing::Idle, Some(idle)) => format!("has been idle for {}", words::duration(idle)),
        (Doing::Idle, None) => "is idle".to_owned(),
        _ => "is in no transaction, its state hidden,".to_owned(),
    };
    format!(
        "{} {idle} and holds {}{}{}",
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
    lines.extend(said::waiters(waits));
    lines.extend(said::refused(&try_lock::refused(picture, holds)));
    lines.extend(said::last_statement(session));
    lines.extend(said::may_be_inherited(picture, holds, session));
    lines.extend(
        pooled(picture, session)
            .map(said::pooled)
            .unwrap_or_default(),
    );
    lines
}

/// Where it is likely that no client has this session for itself.
fn pooled<'a>(picture: &'a Picture<'_>, session: &Session) -> Option<&'a Pooled> {
    let found = picture.pooled.get(&session.pid);
    found.filter(|pooled| pooled.certainty >= Certainty::Likely)
}

fn advice(
    picture: &Picture<'_>,
    holds: &[&Hold<'_>],
    session: &Session,
    circle: Option<&Circle<'_>>,
) -> Vec<Advice> {
    let mut advice = vec![end_it(picture, holds, session, circle)];
    advice.extend(
        unlock_call(holds).map(|call| Advice::say(format!("or unlock in its own session, {call}"))),
    );
    advice
}

/// A lock that was taken several times is one row: the server does not show how often.
fn unlock_call(holds: &[&Hold<'_>]) -> Option<String> {
    match holds {
        [hold] => {
            let call = hold.tag.key()?.unlock_call(hold.lock.mode.sharing()?);
            Some(format!(
                "once for each lock call: {call} (false from any other)"
            ))
        }
        many => many
            .iter()
            .any(|hold| hold.tag.key().is_some() && hold.lock.mode.sharing().is_some())
            .then(|| {
                "all at once: pg_advisory_unlock_all() (any other gives up its own)".to_owned()
            }),
    }
}

fn end_it(
    picture: &Picture<'_>,
    holds: &[&Hold<'_>],
    session: &Session,
    circle: Option<&Circle<'_>>,
) -> Advice {
    let asked_for = !try_lock::refused(picture, holds).for_it.is_empty();
    let what_for = match (said::freed(picture, Owner::Session(session.pid)), circle) {
        // Its waiters would begin while the work that it protects goes on.
        (Some(freed), Some(circle)) => format!(
            "see hidden-deadlock first; only if pid {} is no work of its program, end this one session: {freed}",
            circle.wait.pid
        ),
        (Some(freed), None) => format!("end this one session: {freed}"),
        (None, _) if asked_for => {
            "nobody waits in the queue, but others ask for it in vain: leave it if it leads and they \
             stand by, else end this one session"
                .to_owned()
        }
        (None, _) => {
            "nobody waits: leave it if it is meant to hold, else end this one session".to_owned()
        }
    };
    let caution = match pooled(picture, session) {
        Some(_) => {
            "it is probably a pooler's connection: unless its pool is by session, its clients go on over \
             another; gentler is RECONNECT in the pooler's console. Whoever still works under the lock is \
             not told"
        }
        None => "if its process still works under the lock, that work can then run twice",
    };
    end_session(
        format!("{what_for}; {caution}"),
        contended(picture, holds),
        session,
    )
}
