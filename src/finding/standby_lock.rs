//! `standby-lock`: advisory locks on a standby, which exclude nobody on the primary.

use super::{Advice, Certainty, Finding, Rule, Severity, said};
use crate::hold::Hold;
use crate::picture::Picture;
use crate::words;

pub(super) const RULE: Rule = Rule {
    name: "standby-lock",
    summary: "advisory locks are held on a standby: the primary does not know them",
    help: "\
Advisory locks live in the memory of one server and are never replicated. On a hot standby they are
granted whatever the primary holds, so two sessions can each believe that they own the key. They
survive a promotion, while the old primary's are gone.

How sure: `certain`.

How bad: a warning: the exclusion that somebody relies on may not exist.

What to do: take the lock on the primary only (target_session_attrs=read-write), and look for a
read/write splitter that sends lock calls to a replica.",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let holds: Vec<&Hold<'_>> = picture.holds.iter().collect();
    if !picture.snapshot.server.in_recovery || holds.is_empty() {
        return Vec::new();
    }
    vec![Finding {
        rule: RULE.name,
        severity: Severity::Warning,
        certainty: Certainty::Certain,
        harms: 0,
        title: format!(
            "{} {} held on a standby: nobody on the primary is excluded",
            words::count(holds.len(), "advisory lock"),
            words::verb(holds.len(), "is", "are")
        ),
        evidence: said::holds(picture, &holds),
        pids: said::pids(&holds),
        keys: said::distinct(&holds),
        advice: vec![Advice::say(
            "take these locks on the primary (target_session_attrs=read-write), and scan it too",
        )],
    }]
}
