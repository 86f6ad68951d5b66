//! `blocked-waiters`: who waits for whom, from the roots down.

use super::advice::{cancel_if_unchanged, roll_back, terminate_in_transaction};
use super::circle::Circle;
use super::{Advice, Certainty, Finding, Rule, Severity, lock_call_elsewhere, said};
use crate::describe;
use crate::hold::Doing;
use crate::picture::{LockId, Picture};
use crate::snapshot::Owner;
use crate::waits::{Wait, WaitSource};
use crate::words;

pub(super) const RULE: Rule = Rule {
    name: "blocked-waiters",
    summary: "sessions wait for advisory locks, or behind sessions that hold them",
    help: "\
Every lock of every kind is put into one graph, and each tangle that has an advisory lock in it is
shown from its roots: owners that block somebody and wait for nobody.

A waiter is blocked (hard) by an owner that holds the lock in a conflicting mode, or queued (soft)
behind another waiter whose conflicting request came first: a shared request waits behind an
exclusive one even while only shared locks are granted.

A waiter's statement need not look like a lock call: functions, triggers and extensions lock as well. Such
waiters are pointed out, and where a key of two integers has a table's oid in it, the table.

How sure: `certain`, the lock table says so itself. How long: from pg_locks.waitstart (14 and
later); before that at most since the waiter's query began.

How bad: critical when a root does nothing, or nobody can go on (a circle); a warning when every root
is at work and may finish by itself, or when samples show the lock in other hands each time.

What to do: act on a root, never on a waiter. Ending a waiter frees nothing, and whoever restarts it
queues it again. The one exception is what hidden-deadlock finds.",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    if picture.waits.waits().is_empty() {
        return Vec::new();
    }
    vec![finding(picture)]
}

fn finding(picture: &Picture<'_>) -> Finding {
    let roots = picture.waits.roots();
    let circle = picture.waits.in_a_circle();
    Finding {
        rule: RULE.name,
        severity: severity(picture, &roots, &circle),
        certainty: Certainty::Certain,
        harms: picture.waits.waits().len(),
        title: title(picture, roots.len()),
        evidence: evidence(picture, &roots, &circle),
        pids: picture.waits.waits().iter().map(|wait| wait.pid).collect(),
        keys: keys(picture),
        advice: advice(picture, &roots, &circle),
    }
}

fn severity(picture: &Picture<'_>, roots: &[Owner], circle: &[&Wait<'_>]) -> Severity {
    let all_move = roots
        .iter()
        .all(|root| is_at_work(picture, *root) || picture.passes_on(*root));
    if circle.is_empty() && all_move {
        Severity::Warning
    } else {
        Severity::Critical
    }
}

/// A root may hold no advisory lock itself: then its state alone tells.
fn is_at_work(picture: &Picture<'_>, root: Owner) -> bool {
    match picture.holds_of(root).next() {
        Some(hold) => hold.doing() == Doing::Working,
        None => root
            .pid()
            .and_then(|pid| picture.snapshot.session(pid))
            .is_some_and(|session| session.is_active()),
    }
}

fn title(picture: &Picture<'_>, roots: usize) -> String {
    let all = picture.waits.waits();
    let advisory = picture.advisory_waits().count();
    let who = match (advisory, all.len() - advisory) {
        (0, other) => format!(
            "{} {} for other locks of sessions that hold advisory locks",
            words::count(other, "session"),
            words::verb(other, "waits", "wait")
        ),
        (advisory, 0) => waiting_for_advisory(advisory),
        (advisory, other) => format!(
            "{}, and {other} more for other locks in the same tangle",
            waiting_for_advisory(advisory)
        ),
    };
    let longest = all.first().and_then(said::waited);
    let longest = longest.map_or(String::new(), |time| format!(", the longest {time}"));
    format!("{who}, behind {}{longest}", words::count(roots, "holder"))
}

fn waiting_for_advisory(number: usize) -> String {
    format!(
        "{} {} for advisory locks",
        words::count(number, "session"),
        words::verb(number, "waits", "wait")
    )
}

fn evidence(picture: &Picture<'_>, roots: &[Owner], circle: &[&Wait<'_>]) -> Vec<String> {
    let mut lines: Vec<String> = roots.iter().map(|root| behind(picture, *root)).collect();
    if !circle.is_empty() {
        let pids: Vec<i32> = circle.iter().map(|wait| wait.pid).collect();
        lines.push(format!(
            "{} wait in a circle: the server ends one of them at its next deadlock check",
            words::pids(&pids)
        ));
    }
    let soft = picture
        .waits
        .waits()
        .iter()
        .filter(|wait| wait.blockers.is_empty());
    lines.extend(soft.filter_map(|wait| queued_only(picture, wait)));
    lines.extend(lock_call_elsewhere::lines(picture));
    lines
}

fn behind(picture: &Picture<'_>, root: Owner) -> String {
    let behind = picture.waits.all_behind(root);
    let direct = picture.waits.blocked_by(root).count();
    let indirect = match behind.len() - direct {
        0 => String::new(),
        more => format!(", {more} of them further back"),
    };
    let longest = behind.iter().max_by_key(|wait| wait.waiting);
    let longest = longest.and_then(|wait| said::waited(wait));
    format!(
        "behind {}: {}{indirect}{}",
        describe::owner(picture, root),
        words::count(behind.len(), "session"),
        longest.map_or(String::new(), |time| format!(", the longest {time}"))
    )
}

fn queued_only(picture: &Picture<'_>, wait: &Wait<'_>) -> Option<String> {
    let ahead = wait.queued_behind?;
    Some(format!(
        "pid {} waits only since pid {ahead} asked first{}",
        wait.pid,
        match wait.lock.target.advisory() {
            Some((database, tag)) =>
                format!(" for {}", describe::key(picture, LockId { database, tag })),
            None => String::new(),
        }
    ))
}

fn keys(picture: &Picture<'_>) -> Vec<LockId> {
    let mut keys: Vec<LockId> = picture
        .advisory_waits()
        .filter_map(|wait| wait.lock.target.advisory())
        .map(|(database, tag)| LockId { database, tag })
        .collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

fn advice(picture: &Picture<'_>, roots: &[Owner], circle: &[&Wait<'_>]) -> Vec<Advice> {
    let mut advice: Vec<Advice> = roots
        .iter()
        .filter(|root| is_at_work(picture, **root) && !picture.passes_on(**root))
        .filter_map(|root| let_work_finish(picture, *root))
        .collect();
    let (passing, staying): (Vec<Owner>, Vec<Owner>) =
        roots.iter().partition(|root| picture.passes_on(**root));
    if !passing.is_empty() {
        advice.push(Advice::say(
            "end no holder of a lock that is passed on (holder-churn): the next in the queue takes its place",
        ));
    }
    let bystanders = roots.iter().filter(|root| is_bystander(picture, **root));
    advice.extend(bystanders.filter_map(|root| end_bystander(picture, *root)));
    if !staying.is_empty() {
        advice.push(act_on_the_holders(picture));
    }
    if !circle.is_empty() {
        advice.push(Advice::say(
            "wait for deadlock_timeout: the server breaks a circle of its own locks by itself",
        ));
    }
    if any_bounded_by_query(picture) {
        advice.push(Advice::say(
            "waits are counted from the start of the waiter's query, so each is at most that long",
        ));
    }
    advice
}

/// In a hidden circle the holder's work stands behind its own waiters, and they go first.
fn act_on_the_holders(picture: &Picture<'_>) -> Advice {
    let hidden = Circle::all(picture);
    let at_stake: Vec<i32> = hidden.iter().map(|circle| circle.wait.pid).collect();
    Advice::say(match at_stake.is_empty() {
        true => {
            "act on the holders, never on the waiters: ending a waiter frees nothing".to_owned()
        }
        false => format!(
            "settle what hidden-deadlock says of {} first: the waiters in the way go, not the holder; \
             otherwise act on the holders",
            words::pids(&at_stake)
        ),
    })
}

/// At rest, and without an advisory lock: no other rule has a finding for it.
fn is_bystander(picture: &Picture<'_>, root: Owner) -> bool {
    picture.holds_of(root).next().is_none() && !is_at_work(picture, root)
}

fn end_bystander(picture: &Picture<'_>, root: Owner) -> Option<Advice> {
    let gain = said::freed(picture, root).map_or(String::new(), |freed| format!(": {freed}"));
    let text = format!(
        "{} holds no advisory lock, but the one that others wait for: if it will not end soon by itself, end it{gain}",
        describe::owner(picture, root)
    );
    if let Some(prepared) = picture.prepared(root) {
        return Some(roll_back(picture, prepared, &text));
    }
    let session = picture.snapshot.session(root.pid()?)?;
    Some(match terminate_in_transaction(session) {
        Some(sql) => Advice::run(text, sql),
        None => Advice::say(text),
    })
}

fn any_bounded_by_query(picture: &Picture<'_>) -> bool {
    let mut waits = picture.waits.waits().iter();
    waits.any(|wait| wait.source == WaitSource::QueryStart)
}

fn let_work_finish(picture: &Picture<'_>, root: Owner) -> Option<Advice> {
    let session = picture.snapshot.session(root.pid()?)?;
    let text = format!(
        "{} is at work: let it finish, or cancel its statement (a session-level lock stays held after that)",
        describe::session(session)
    );
    Some(match cancel_if_unchanged(session) {
        Some(sql) => Advice::run(text, sql),
        None => Advice::say(text),
    })
}
