//! `hidden-deadlock`: a wait that closes a circle through the application, where PostgreSQL can't see it.

use super::{Advice, Certainty, Finding, Rule, Severity, said};
use crate::describe;
use crate::hold::Doing;
use crate::picture::Picture;
use crate::snapshot::{Owner, Session};
use crate::waits::Wait;
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
    let waits = picture.waits.waits().iter();
    waits.filter_map(|wait| finding(picture, wait)).collect()
}

fn finding(picture: &Picture<'_>, wait: &Wait<'_>) -> Option<Finding> {
    if !matches!(wait.lock.target.locktype(), "virtualxid" | "transactionid") {
        return None;
    }
    let circle = Circle::behind(picture, wait)?;
    let same_program = circle.may_be_one_program(picture);
    Some(Finding {
        rule: RULE.name,
        severity: Severity::Critical,
        certainty: if same_program {
            Certainty::Likely
        } else {
            Certainty::Possible
        },
        harms: 1 + circle.stand_in_the_way.len(),
        title: format!(
            "{} waits for {}, behind an idle holder: nobody may ever go on",
            describe::short(picture, Owner::Session(wait.pid)),
            words::count(circle.stand_in_the_way.len(), "transaction")
        ),
        evidence: circle.evidence(picture, wait, same_program),
        pids: circle.pids(wait),
        keys: circle.keys(picture),
        advice: circle.advice(wait),
    })
}

/// An open transaction that is waited for, and the idle root that keeps it open.
struct Circle<'b> {
    waiter: i32,
    /// Sessions that wait for the root's advisory lock, or are the root itself.
    stand_in_the_way: Vec<i32>,
    root: &'b Session,
}

impl<'b> Circle<'b> {
    fn behind(picture: &'b Picture<'_>, wait: &Wait<'_>) -> Option<Self> {
        let roots = picture.waits.roots();
        let root = roots
            .into_iter()
            .find(|root| leads_to(picture, *root, wait) && is_at_rest(picture, *root))?;
        let root_pid = root.pid()?;
        let mut stand_in_the_way: Vec<i32> = picture
            .waits
            .all_behind(root)
            .iter()
            .filter(|behind| behind.lock.target.advisory().is_some())
            .map(|behind| behind.pid)
            .filter(|pid| *pid != wait.pid)
            .collect();
        if wait.blockers.contains(&root) {
            stand_in_the_way = vec![root_pid];
        }
        (!stand_in_the_way.is_empty()).then_some(Self {
            waiter: wait.pid,
            stand_in_the_way,
            root: picture.snapshot.session(root_pid)?,
        })
    }

    fn may_be_one_program(&self, picture: &Picture<'_>) -> bool {
        let builder = picture.snapshot.session(self.waiter);
        let named = self
            .root
            .application_name
            .as_ref()
            .filter(|name| !name.is_empty());
        builder.is_some_and(|builder| {
            builder.usename == self.root.usename
                && named.is_some()
                && builder.application_name.as_ref() == named
        })
    }

    fn evidence(&self, picture: &Picture<'_>, wait: &Wait<'_>, same_program: bool) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(builder) = picture.snapshot.session(wait.pid) {
            lines.extend(
                builder
                    .query
                    .as_deref()
                    .map(|query| format!("pid {} runs: {}", builder.pid, said::squeezed(query))),
            );
        }
        lines.push(format!(
            "it waits for {}: {} in the way",
            describe::target(picture, &wait.lock.target),
            words::pids(&self.stand_in_the_way)
        ));
        lines.push(format!(
            "the lock is held by {}, which waits for nobody in PostgreSQL",
            describe::session(self.root)
        ));
        lines.push(match same_program {
            true => "both run under one role and application_name: likely one program".to_owned(),
            false => "whether the holder waits for it inside its program can't be seen".to_owned(),
        });
        lines
    }

    fn pids(&self, wait: &Wait<'_>) -> Vec<i32> {
        let mut pids = vec![wait.pid, self.root.pid];
        pids.extend(&self.stand_in_the_way);
        pids.sort_unstable();
        pids.dedup();
        pids
    }

    fn keys(&self, picture: &Picture<'_>) -> Vec<crate::picture::LockId> {
        let holds: Vec<_> = picture.holds_of(Owner::Session(self.root.pid)).collect();
        said::distinct(&holds)
    }

    fn advice(&self, wait: &Wait<'_>) -> Vec<Advice> {
        let first = match self.stand_in_the_way[..] {
            [only] if only == self.root.pid => format!(
                "end the idle transaction of pid {only} if its program does not wait for pid {}",
                wait.pid
            ),
            _ => format!(
                "cancel every session in the way ({}), so that pid {} can finish and its program unlocks",
                words::pids(&self.stand_in_the_way),
                wait.pid
            ),
        };
        vec![
            Advice::say(first),
            Advice::say(format!(
                "or cancel pid {}; an index that was being built concurrently stays behind invalid: drop it",
                wait.pid
            )),
        ]
    }
}

fn leads_to(picture: &Picture<'_>, root: Owner, wait: &Wait<'_>) -> bool {
    let behind = picture.waits.all_behind(root);
    behind.iter().any(|behind| behind.pid == wait.pid)
}

/// Holds an advisory lock and does nothing.
fn is_at_rest(picture: &Picture<'_>, root: Owner) -> bool {
    let hold = picture.holds_of(root).next();
    hold.is_some_and(|hold| {
        matches!(
            hold.doing(),
            Doing::Idle | Doing::LikelyIdle | Doing::IdleInTransaction
        )
    })
}
