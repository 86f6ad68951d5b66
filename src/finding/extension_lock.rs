//! `extension-lock`: advisory locks that no SQL function can have taken.

use super::{Advice, Certainty, Finding, Rule, Severity, said};
use crate::hold::Hold;
use crate::picture::Picture;
use crate::words;

pub(super) const RULE: Rule = Rule {
    name: "extension-lock",
    summary: "advisory locks of an extension: of another key space or mode than SQL can take",
    help: "\
SQL's functions use two key spaces (objsubid 1 and 2) and two modes (ExclusiveLock, ShareLock). Any
other advisory lock was taken by an extension's C code. Its numbers mean what the extension says, and
no unlock function reaches it.

How sure: `certain` that it is an extension's.

How bad: a remark. It waits and blocks like any other lock, and is in the wait graph.

What to do: ask the extension's documentation; don't try to unlock it.",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let holds: Vec<&Hold<'_>> = picture
        .holds
        .iter()
        .filter(|hold| hold.tag.key().is_none() || hold.lock.mode.sharing().is_none())
        .collect();
    if holds.is_empty() {
        return Vec::new();
    }
    vec![finding(picture, &holds)]
}

fn finding(picture: &Picture<'_>, holds: &[&Hold<'_>]) -> Finding {
    Finding {
        rule: RULE.name,
        severity: Severity::Info,
        certainty: Certainty::Certain,
        harms: 0,
        title: format!(
            "{} of an extension: not an application's, and not to be unlocked by SQL",
            words::count(holds.len(), "advisory lock")
        ),
        evidence: said::holds(picture, holds),
        pids: said::pids(holds),
        keys: said::distinct(holds),
        advice: vec![Advice::say(
            "ask the extension that is installed there what it locks; leave the lock to it",
        )],
    }
}
