//! `hidden-deadlock`: a wait that closes a circle through the application, where PostgreSQL can't see it.

use super::advice::{cancel_all_if_unchanged, terminate_in_transaction};
use super::circle::Circle;
use super::{Advice, Certainty, Finding, Rule, Severity, said};
use crate::describe;
use crate::picture::{LockId, Picture};
use crate::snapshot::{Owner, Session};
use crate::words;

pub(super) const RULE: Rule = Rule {
    name: "hidden-deadlock",
    summary: "a wait for a transaction that itself waits behind, or holds, an advisory lock of an idle session",
    help: "\
CREATE INDEX CONCURRENTLY, a logical slot and the like wait for other transactions to end. When such a
transaction waits for an advisory lock, and the lock's holder is an idle session of the very program
that runs the index build, the circle closes through the program: it will not unlock before the build
is done. PostgreSQL sees no edge from an idle session to anybody, so its deadlock detector is silent and
everybody waits for ever.

How sure: that the waits stand in this row is certain. That the idle holder waits for the build inside
its program is `likely` when both share role and application_name, else `possible`.

How bad: critical.

What to do: end the waiters of the advisory lock that stand in the way, all of them, so that the build
can finish and its program unlocks; or cancel the build (then drop the invalid index it leaves).
Afterwards: take the migration lock and build the index on one connection, or wait for the lock with
pg_try_advisory_lock in a loop, which holds no transaction open.",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let circles = Circle::all(picture);
    circles
        .iter()
        .map(|circle| finding(picture, circle))
        .collect()
}

fn finding(picture: &Picture<'_>, circle: &Circle<'_>) -> Finding {
    Finding {
        rule: RULE.name,
        severity: Severity::Critical,
        certainty: if circle.may_be_one_program(picture) {
            Certainty::Likely
        } else {
            Certainty::Possible
        },
        harms: 1 + circle.stand_in_the_way.len(),
        title: format!(
            "{} waits for {}, behind an idle holder: nobody may ever go on",
            describe::short(picture, Owner::Session(circle.wait.pid)),
            words::count(circle.stand_in_the_way.len(), "transaction")
        ),
        evidence: evidence(picture, circle),
        pids: pids(circle),
        keys: keys(picture, circle),
        advice: advice(picture, circle),
    }
}

fn evidence(picture: &Picture<'_>, circle: &Circle<'_>) -> Vec<String> {
    let waiter = circle.wait.pid;
    let session = picture.snapshot.session(waiter);
    let query = session.and_then(|session| session.query.as_deref());
    let runs = query.map(|query| format!("pid {waiter} runs: {}", said::squeezed(query)));
    let waits = format!(
        "it waits for {}: {} in the way",
        describe::target(picture, &circle.wait.lock.target),
        words::pids(&circle.stand_in_the_way)
    );
    let held = format!(
        "the lock is held by {}, which waits for nobody in PostgreSQL",
        describe::session(circle.root)
    );
    let program = match circle.may_be_one_program(picture) {
        true => "both run under one role and application_name: likely one program",
        false => "whether the holder waits for it inside its program can't be seen",
    };
    runs.into_iter()
        .chain([waits, held, program.to_owned()])
        .collect()
}

fn pids(circle: &Circle<'_>) -> Vec<i32> {
    let mut pids = vec![circle.wait.pid, circle.root.pid];
    pids.extend(&circle.stand_in_the_way);
    pids.sort_unstable();
    pids.dedup();
    pids
}

fn keys(picture: &Picture<'_>, circle: &Circle<'_>) -> Vec<LockId> {
    let holds: Vec<_> = picture.holds_of(Owner::Session(circle.root.pid)).collect();
    said::distinct(&holds)
}

fn advice(picture: &Picture<'_>, circle: &Circle<'_>) -> Vec<Advice> {
    vec![clear_the_way(picture, circle), give_up(picture, circle)]
}

fn clear_the_way(picture: &Picture<'_>, circle: &Circle<'_>) -> Advice {
    let (waiter, root) = (circle.wait.pid, circle.root);
    if circle.stand_in_the_way == [root.pid] {
        let text = format!(
            "end the idle transaction of pid {} if its program does not wait for pid {waiter}",
            root.pid
        );
        let sql = terminate_in_transaction(root);
        return Advice { text, sql };
    }
    let text = format!(
        "cancel every session in the way ({}), so that pid {waiter} can finish and its program unlocks",
        words::pids(&circle.stand_in_the_way)
    );
    let sql = cancel_of(picture, &circle.stand_in_the_way);
    Advice { text, sql }
}

/// Only statements that build, rebuild or detach concurrently wait for virtual transactions.
fn give_up(picture: &Picture<'_>, circle: &Circle<'_>) -> Advice {
    let waiter = circle.wait.pid;
    let remains = match circle.wait.lock.target.locktype() {
        "virtualxid" => {
            "; an index that was being built concurrently stays behind invalid: drop it"
        }
        _ => "",
    };
    Advice {
        text: format!("or cancel pid {waiter}{remains}"),
        sql: cancel_of(picture, &[waiter]),
    }
}

fn cancel_of(picture: &Picture<'_>, pids: &[i32]) -> Option<String> {
    let sessions: Option<Vec<&Session>> = pids
        .iter()
        .map(|pid| picture.snapshot.session(*pid))
        .collect();
    cancel_all_if_unchanged(&sessions?)
}
