//! `limited-visibility`: what was hidden could change the verdict.

use super::advice::Advice;
use super::{Certainty, Finding, Rule, Severity};
use crate::hold::Doing;
use crate::picture::Picture;
use crate::snapshot::{BlindSpot, Sight};
use crate::words;

pub(super) const RULE: Rule = Rule {
    name: "limited-visibility",
    summary: "states that bear on the verdict are hidden, or not tracked",
    help: "\
Without pg_read_all_stats the server hides other roles' state, times, address and query; with
track_activities off nobody has a state. Keys, holders, waiters and who blocks whom are seen all the
same. What is not: whether a holder is idle, since when, and which instance it belongs to.

How sure: `certain` that something is hidden.

How bad: a warning when it hides a holder's or a waiter's state, else a remark.

What to do: GRANT pg_monitor to the scanning role (inherited: a NOINHERIT member sees nothing more),
or turn track_activities on.",
    check,
};

fn check(picture: &Picture<'_>) -> Vec<Finding> {
    let spots: Vec<&BlindSpot> = picture
        .snapshot
        .blind_spots
        .iter()
        .filter(|spot| spot.hides_sessions())
        .collect();
    if spots.is_empty() {
        return Vec::new();
    }
    vec![finding(picture, &spots)]
}

fn finding(picture: &Picture<'_>, spots: &[&BlindSpot]) -> Finding {
    let hidden = hidden(picture);
    let masked = |spot: &&BlindSpot| matches!(spot, BlindSpot::MaskedSessions { .. });
    let unseen = match spots.iter().any(masked) {
        true => format!("hidden from role {}", picture.snapshot.viewer.role),
        false => "not known".to_owned(),
    };
    Finding {
        rule: RULE.name,
        severity: if hidden.is_empty() {
            Severity::Info
        } else {
            Severity::Warning
        },
        certainty: Certainty::Certain,
        harms: 0,
        title: match hidden.len() {
            0 => "some sessions are hidden; none of them holds or waits for an advisory lock"
                .to_owned(),
            number => format!(
                "what {} that {} or {} for advisory locks {} is {unseen}",
                words::count(number, "session"),
                words::verb(number, "holds", "hold"),
                words::verb(number, "waits", "wait"),
                words::verb(number, "does", "do"),
            ),
        },
        evidence: spots.iter().map(|spot| spot.sentence()).collect(),
        pids: hidden,
        keys: Vec::new(),
        advice: remedies(spots),
    }
}

fn remedies(spots: &[&BlindSpot]) -> Vec<Advice> {
    let mut remedies: Vec<&str> = spots.iter().filter_map(|spot| spot.remedy()).collect();
    remedies.dedup();
    remedies.into_iter().map(Advice::say).collect()
}

/// Sessions with a part in the picture whose state we do not see.
fn hidden(picture: &Picture<'_>) -> Vec<i32> {
    let holders = picture
        .holds
        .iter()
        .filter(|hold| {
            matches!(
                hold.doing(),
                Doing::LikelyIdle | Doing::UnseenInTransaction | Doing::Vanished
            )
        })
        .filter_map(|hold| hold.pid());
    let waiters = picture.advisory_waits().map(|wait| wait.pid).filter(|pid| {
        let session = picture.snapshot.session(*pid);
        session.is_none_or(|session| session.sight == Sight::Masked)
    });
    let mut pids: Vec<i32> = holders.chain(waiters).collect();
    pids.sort_unstable();
    pids.dedup();
    pids
}
