//! What a person must know before a session is ended.

use crate::certainty::Certainty;
use crate::describe;
use crate::finding::said;
use crate::hold::{Hold, Holder};
use crate::picture::{LockId, Picture};
use crate::snapshot::{ConnectionPath, PreparedTransaction, Session, SessionState};
use crate::waits::Wait;
use crate::words;

/// Raw words: whoever prints them makes them safe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Briefing {
    /// Who would be ended.
    pub holder: String,
    pub facts: Vec<Fact>,
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    pub label: &'static str,
    pub text: String,
}

impl Briefing {
    pub fn of(picture: &Picture<'_>, hold: &Hold<'_>) -> Self {
        Self {
            holder: describe::owner(picture, hold.owner()),
            facts: facts(picture, hold),
            warnings: match hold.holder {
                Holder::Session(session) => warnings(picture, hold, session),
                Holder::Prepared(_) | Holder::Vanished(_) => Vec::new(),
            },
        }
    }
}

fn facts(picture: &Picture<'_>, hold: &Hold<'_>) -> Vec<Fact> {
    let session = hold.holder.session();
    [
        fact("holds", Some(lock(picture, hold))),
        fact("whose", whose(picture, hold)),
        fact("state", state(picture, hold)),
        fact("frees", Some(frees(picture, hold))),
        fact("also holds", also_holds(picture, hold)),
        fact("query", session.and_then(said::last_statement)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn fact(label: &'static str, text: Option<String>) -> Option<Fact> {
    text.map(|text| Fact { label, text })
}

fn lock(picture: &Picture<'_>, hold: &Hold<'_>) -> String {
    let bounds = said::held_for(hold).map_or(String::new(), |bounds| format!("; {bounds}"));
    format!("{}{bounds}", said::hold(picture, hold))
}

fn whose(picture: &Picture<'_>, hold: &Hold<'_>) -> Option<String> {
    let known = picture.known(LockId::of(hold));
    (!known.is_empty()).then(|| describe::whose(known))
}

fn state(picture: &Picture<'_>, hold: &Hold<'_>) -> Option<String> {
    match hold.holder {
        Holder::Session(session) => Some(state_of_session(picture, session)),
        Holder::Prepared(prepared) => Some(state_of_prepared(picture, prepared?)),
        Holder::Vanished(_) => None,
    }
}

/// `idle in transaction for 40s, its transaction open for 2m, connected for 3h`
fn state_of_session(picture: &Picture<'_>, session: &Session) -> String {
    let age = |since| words::duration(picture.snapshot.age(since));
    let state = session
        .state
        .as_ref()
        .map_or("of unknown state", SessionState::as_str);
    let for_long = session
        .state_change
        .map_or(String::new(), |since| format!(" for {}", age(since)));
    let transaction = session
        .xact_start
        .map(|since| format!("its transaction open for {}", age(since)));
    let connected = session
        .backend_start
        .map(|since| format!("connected for {}", age(since)));
    let parts: Vec<String> = [Some(format!("{state}{for_long}")), transaction, connected]
        .into_iter()
        .flatten()
        .collect();
    parts.join(", ")
}

fn state_of_prepared(picture: &Picture<'_>, prepared: &PreparedTransaction) -> String {
    let since = words::duration(picture.snapshot.age(prepared.prepared_at));
    let by = prepared.owner.as_deref().unwrap_or("an unnamed role");
    format!("prepared for {since}, by {by}; there is no session to end")
}

fn frees(picture: &Picture<'_>, hold: &Hold<'_>) -> String {
    let waits = waiters(&picture.waiters_of(hold));
    let freed = said::freed(picture, hold.owner());
    let parts: Vec<String> = [waits, freed].into_iter().flatten().collect();
    match parts.is_empty() {
        true => "nobody: nobody waits".to_owned(),
        false => parts.join("; "),
    }
}

fn waiters(waits: &[&Wait<'_>]) -> Option<String> {
    let pids: Vec<i32> = waits.iter().map(|wait| wait.pid).collect();
    said::waiters(waits).map(|waiters| format!("{waiters}: {}", words::pids(&pids)))
}

/// Whatever else goes with the session.
fn also_holds(picture: &Picture<'_>, hold: &Hold<'_>) -> Option<String> {
    const NAMED: usize = 5;
    let others: Vec<String> = picture
        .holds_of(hold.owner())
        .filter(|other| other.lock != hold.lock)
        .map(|other| said::hold(picture, other))
        .collect();
    (!others.is_empty()).then(|| words::some_of(&others, NAMED))
}

fn warnings(picture: &Picture<'_>, hold: &Hold<'_>, session: &Session) -> Vec<String> {
    [
        Some(
            "if its process still works under the lock, that work can then run twice: it hears of \
             the end of its session only when it next uses it"
                .to_owned(),
        ),
        session
            .is_active()
            .then(|| "it is at work: its running statement ends with it".to_owned()),
        in_transaction(session).then(|| {
            "its open transaction is rolled back; what it did outside the database is not undone"
                .to_owned()
        }),
        (!session.state_is_known()).then(|| {
            "what it does is not known (track_activities is off, or it is a background process): \
             it may be at work"
                .to_owned()
        }),
        kind(session),
        pooler(picture, hold),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn in_transaction(session: &Session) -> bool {
    session.is_idle_in_transaction() || (session.is_active() && session.xact_start.is_some())
}

fn kind(session: &Session) -> Option<String> {
    let kind = session.backend_type.as_ref()?;
    (!session.is_client_backend())
        .then(|| format!("it is no client's session but a {kind}: the server may start it again"))
}

fn pooler(picture: &Picture<'_>, hold: &Hold<'_>) -> Option<String> {
    const GENTLER: &str = "the pooler's own way is gentler (PgBouncer's console: RECONNECT), since \
                           it lets each client finish";
    let names = picture.history.applications(picture.snapshot, hold.lock);
    if names.len() > 1 {
        let names: Vec<String> = names.into_iter().collect();
        return Some(format!(
            "its session is shared by several applications ({}), as a pooler does: {GENTLER}",
            words::some_of(&names, 3)
        ));
    }
    if let Some(pooled) = hold.pid().and_then(|pid| picture.pooled.get(&pid))
        && pooled.certainty >= Certainty::Likely
    {
        return Some(format!(
            "its session is probably a pooler's connection, its name the latest borrower's: {GENTLER}"
        ));
    }
    let way = match picture.snapshot.server.path {
        ConnectionPath::PoolerOrNat => "a pooler or address translation",
        ConnectionPath::Pooler(_) => "a pooler",
        ConnectionPath::Direct | ConnectionPath::Unknown => return None,
    };
    Some(format!(
        "we came through {way}; if the holder did too, {GENTLER}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Expectations;
    use crate::planted::{Plant, ago, quiet};
    use crate::snapshot::SessionState::{Active, Idle, IdleInTransaction};
    use crate::snapshot::Snapshot;

    fn briefing(samples: &[Snapshot]) -> Briefing {
        let expectations = Expectations::default();
        let (last, earlier) = samples.split_last().expect("a sample");
        let picture = Picture::of(earlier, last, &expectations);
        Briefing::of(&picture, &picture.holds[0])
    }

    fn warns(briefing: &Briefing, part: &str) -> bool {
        briefing.warnings.iter().any(|line| line.contains(part))
    }

    #[test]
    fn an_idle_holders_facts_stand_in_order() {
        let snapshot = quiet()
            .session(10, Idle)
            .holds(10, 7)
            .holds(10, 8)
            .waits(11, 7, 30)
            .waits(12, 7, 20);
        let briefing = briefing(&[snapshot]);
        assert_eq!(briefing.holder, "pid 10 (api, app@orders, 10.0.0.7)");
        let facts: Vec<String> = briefing
            .facts
            .iter()
            .map(|fact| format!("{}: {}", fact.label, fact.text))
            .collect();
        assert_eq!(
            facts,
            [
                "holds: key 7 in orders: exclusive, session scope (held outside any transaction); \
                 held for at least 1m, at most 1h (the session's age)",
                "whose: possibly Coder (the reconciliation of prebuilds)",
                "state: idle for 1m, connected for 1h",
                "frees: 2 sessions wait for it, the longest for 30s: pids 11, 12; pid 11 can go on \
                 then, 1 stays in the queue behind",
                "also holds: key 8 in orders: exclusive, session scope (held outside any transaction)",
                "query: last statement (need not be the one that locked): SELECT 1",
            ]
        );
        assert_eq!(briefing.warnings.len(), 1);
        assert!(warns(&briefing, "can then run twice"));
    }

    #[test]
    fn work_and_open_transactions_are_warned_of() {
        let working = briefing(&[quiet().session(10, Active).holds(10, 7)]);
        assert!(warns(&working, "its running statement ends with it"));
        let mut open = quiet().session(10, IdleInTransaction).holds(10, 7);
        open.sessions[0].xact_start = Some(ago(90));
        let open = briefing(&[open]);
        assert!(warns(&open, "its open transaction is rolled back"));
        assert_eq!(
            open.facts[2].text,
            "idle in transaction for 1m, its transaction open for 1m 30s, connected for 1h"
        );
    }

    #[test]
    fn a_pooler_is_told_from_the_path_or_from_changing_names() {
        let direct = quiet().session(10, Idle).holds(10, 7);
        let mut pooled = direct.clone();
        pooled.server.path = ConnectionPath::PoolerOrNat;
        assert!(warns(&briefing(&[pooled]), "we came through a pooler"));
        let renamed = direct.clone().named(10, "web");
        assert!(warns(
            &briefing(&[renamed, direct]),
            "shared by several applications (api, web)"
        ));
    }
}
