//! `holder-churn`: a key that many want and nobody keeps: a turnstile, not a stuck session.

use super::{Advice, Certainty, Finding, Rule, Severity, said};
use crate::describe;
use crate::hold::Hold;
use crate::picture::Picture;
use crate::words;

pub(super) const RULE: Rule = Rule {
    name: "holder-churn",
    summary: "a contended key changes hands from sample to sample (needs samples)",
    help: "\
Sessions queue for one key, but every sample shows another holder: the lock is passed on, and nobody is
stuck. The queue is long since all work goes through one turnstile; its length times the time of one hold
is how long a newcomer waits.

How sure: `certain` that the holder changed between all samples (`--samples 5`).

How bad: a remark. Ending a session helps nobody.

What to do: shorten the work under the lock, or split the key.",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let holds = picture.holds.iter();
    holds.filter_map(|hold| finding(picture, hold)).collect()
}

fn finding(picture: &Picture<'_>, hold: &Hold<'_>) -> Option<Finding> {
    let waiters = picture.waiters_of(hold);
    let owners = picture.history.owners_in_turn(hold.lock)?;
    if waiters.is_empty() {
        return None;
    }
    let id = said::id(hold);
    Some(Finding {
        rule: RULE.name,
        severity: Severity::Info,
        certainty: Certainty::Certain,
        harms: 0,
        title: format!(
            "{} changes hands: {} in {} samples, and {} now",
            describe::key(picture, id),
            words::count(owners, "holder"),
            picture.history.samples() + 1,
            words::count(waiters.len(), "waiter")
        ),
        evidence: said::waiters(&waiters).into_iter().collect(),
        pids: hold.pid().into_iter().collect(),
        keys: vec![id],
        advice: vec![Advice::say(
            "end nobody: the lock is passed on; shorten the work under it, or split the key",
        )],
    })
}
