//! Sentences that several rules say of the same things.

use crate::certainty::Certainty;
use crate::describe;
use crate::expected::Keeping;
use crate::hold::{Doing, Hold, Scope, ScopeBasis};
use crate::picture::{LockId, Picture};
use crate::pooler::backends::{Behind, Matched};
use crate::pooler::signs::Pooled;
use crate::snapshot::{Owner, PoolerClient, Session, Sight};
use crate::try_lock::Refused;
use crate::waits::{Wait, WaitSource};
use crate::words;

pub(super) fn id(hold: &Hold<'_>) -> LockId {
    LockId::of(hold)
}

/// `key 42 in orders`, or how many keys.
pub(super) fn keys(picture: &Picture<'_>, holds: &[&Hold<'_>]) -> String {
    match holds {
        [] => "no key".to_owned(),
        [hold] => describe::key(picture, id(hold)),
        many => words::count(distinct(many).len(), "advisory lock"),
    }
}

/// The locks of these holds, each once.
pub(crate) fn distinct(holds: &[&Hold<'_>]) -> Vec<LockId> {
    let mut ids: Vec<LockId> = holds.iter().map(|hold| id(hold)).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// The sessions that have these holds, each once.
pub(super) fn pids(holds: &[&Hold<'_>]) -> Vec<i32> {
    let mut pids: Vec<i32> = holds.iter().filter_map(|hold| hold.pid()).collect();
    pids.sort_unstable();
    pids.dedup();
    pids
}

/// Mode, scope and bounds of a single hold whose key has been named; of several, each with its key.
pub(super) fn holds(picture: &Picture<'_>, holds: &[&Hold<'_>]) -> Vec<String> {
    const SPELLED: usize = 5;
    if let [only] = holds {
        let bounds = held_for(only).map_or(String::new(), |bounds| format!("; {bounds}"));
        let line = format!("{}{bounds}", kind(only));
        return std::iter::once(line).chain(meant(picture, only)).collect();
    }
    let mut lines: Vec<String> = holds
        .iter()
        .take(SPELLED)
        .map(|one| hold(picture, one))
        .collect();
    if let Some(more @ 1..) = holds.len().checked_sub(SPELLED) {
        lines.push(format!("and {}", words::count(more, "more lock")));
    }
    lines.extend(holds.first().and_then(|one| held_for(one)));
    lines.extend(holds.iter().find_map(|one| meant(picture, one)));
    lines
}

/// `meant to be held (names.toml, line 3: the leader)`, or by how much it is over its time.
fn meant(picture: &Picture<'_>, hold: &Hold<'_>) -> Option<String> {
    let expectation = picture.expectation(hold)?;
    let rule = expectation.rule;
    let because = rule
        .because
        .as_ref()
        .map_or(String::new(), |because| format!(": {because}"));
    let told = format!("({}{because})", rule.place);
    Some(match (expectation.keeping, rule.at_most) {
        (Keeping::OverBy(over), Some(most)) => format!(
            "meant to be held for {} at most {told}: over that by at least {}",
            words::duration(most),
            words::duration(over)
        ),
        _ => format!("meant to be held {told}"),
    })
}

/// Of a few keys, those whose owner is known: `whose key: Prisma Migrate (…), likely; …`
pub(super) fn whose_keys(picture: &Picture<'_>, keys: &[LockId]) -> Vec<String> {
    const SPELLED: usize = 3;
    let of = |id: &LockId| match keys.len() {
        1 => "whose key".to_owned(),
        _ => format!("whose {}", describe::key(picture, *id)),
    };
    let known = keys.iter().filter(|id| !picture.known(**id).is_empty());
    known
        .take(SPELLED)
        .map(|id| format!("{}: {}", of(id), describe::whose(picture.known(*id))))
        .collect()
}

/// `key 42 in orders: exclusive, session scope (held outside any transaction)`
pub(crate) fn hold(picture: &Picture<'_>, hold: &Hold<'_>) -> String {
    format!("{}: {}", describe::key(picture, id(hold)), kind(hold))
}

fn kind(hold: &Hold<'_>) -> String {
    let scope = match (hold.scope, hold.scope_basis) {
        (Scope::Session, ScopeBasis::SurvivedTransaction) => {
            "session scope (an earlier sample shows it outside any transaction)"
        }
        (Scope::Session, _) if hold.doing() == Doing::IdleInTransaction => {
            "session scope (it outlived the failure of its transaction)"
        }
        (Scope::Session, _) => "session scope (held outside any transaction)",
        (Scope::Transaction, ScopeBasis::Prepared) => "transaction scope (prepared)",
        (Scope::Transaction, _) => "transaction scope",
        (Scope::Unknown, _) => "scope not known (inside a transaction both look alike)",
    };
    format!("{}, {scope}", describe::mode(&hold.lock.mode))
}

/// `held for at least 3m, at most 2h (the session's age)`, as far as known.
pub(crate) fn held_for(hold: &Hold<'_>) -> Option<String> {
    let least = hold
        .at_least
        .map(|least| format!("at least {}", words::duration(least)));
    let most = hold
        .at_most
        .map(|most| format!("at most {} (the session's age)", words::duration(most)));
    let bounds: Vec<String> = [least, most].into_iter().flatten().collect();
    (!bounds.is_empty()).then(|| format!("held for {}", bounds.join(", ")))
}

/// What speaks for a pooler in front of a holder, and what that pooler does to locks.
pub(super) fn pooled(pooled: &Pooled) -> Vec<String> {
    let how_sure = match pooled.certainty {
        Certainty::Certain => "is",
        Certainty::Likely => "is probably",
        Certainty::Possible => "may be",
    };
    let mut lines: Vec<String> = pooled
        .signs
        .iter()
        .map(|sign| sign.sentence.clone())
        .collect();
    lines.push(format!(
        "the holder {how_sure} pooled: the application_name shown is the latest borrower's, not the owner's"
    ));
    lines.extend(
        pooled
            .product()
            .map(|product| format!("{}: {}", product.name(), product.session_locks())),
    );
    lines
}

/// `5 sessions wait for it, the longest for 2m`; who they are, the wait tree shows.
pub(crate) fn waiters(waits: &[&Wait<'_>]) -> Option<String> {
    let longest = waits.iter().max_by_key(|wait| wait.waiting)?;
    let number = waits.len();
    let how_long = match (number, waited(longest)) {
        (_, None) => String::new(),
        (1, Some(wait)) => format!(" {wait}"),
        (_, Some(wait)) => format!(", the longest {wait}"),
    };
    Some(format!(
        "{} {} for it{how_long}",
        words::count(number, "session"),
        words::verb(number, "waits", "wait"),
    ))
}

/// `; 5 sessions wait`, or nothing.
pub(super) fn and_waiters(number: usize) -> String {
    match number {
        0 => String::new(),
        _ => format!(
            "; {} {}",
            words::count(number, "session"),
            words::verb(number, "waits", "wait")
        ),
    }
}

/// `; 3 sessions asked for it in vain`, or nothing.
pub(super) fn and_refused(refused: &Refused) -> String {
    match refused.for_it.len() {
        0 => String::new(),
        number => format!("; {} asked for it in vain", words::count(number, "session")),
    }
}

/// Who asks without waiting: no lock row shows them.
pub(super) fn refused(refused: &Refused) -> Vec<String> {
    let some = |pids: &[i32], what: &str| {
        (!pids.is_empty()).then(|| {
            format!(
                "{} asked for {what} without waiting since it fell idle: {}",
                words::count(pids.len(), "session"),
                words::pids(pids)
            )
        })
    };
    let for_it = some(&refused.for_it, "it");
    let for_some_key = some(
        &refused.for_some_key,
        "a key that their statement does not show, this one perhaps,",
    );
    for_it.into_iter().chain(for_some_key).collect()
}

/// `for 2m`, `for 2m at most`; `None` when the server shows neither.
pub(super) fn waited(wait: &Wait<'_>) -> Option<String> {
    let time = words::duration(wait.waiting?);
    match wait.source {
        WaitSource::WaitStart => Some(format!("for {time}")),
        WaitSource::QueryStart => Some(format!("for {time} at most")),
        WaitSource::Unknown => None,
    }
}

/// `shop of 10.0.0.5:6432 (as app)`
pub(super) fn pool(console: &str, alias: &str, user: &str) -> String {
    format!("{} (as {user})", self::alias(console, alias))
}

/// `shop of 10.0.0.5:6432`
pub(super) fn alias(console: &str, alias: &str) -> String {
    format!("{alias} of {console}")
}

pub(super) fn pool_of(behind: &Behind<'_>) -> String {
    pool(
        &behind.pooler.console,
        behind.alias(),
        &behind.connection.user,
    )
}

/// Nothing where the connection is the backend's beyond doubt.
pub(super) fn matched(behind: &Behind<'_>) -> Option<String> {
    (behind.matched == Matched::Pid).then(|| {
        "backend and connection were matched by process id, database and role alone: there is no port to compare"
            .to_owned()
    })
}

/// That the client shown may have got the lock with its connection, and know nothing of it.
pub(super) fn may_be_inherited(
    picture: &Picture<'_>,
    holds: &[&Hold<'_>],
    session: &Session,
) -> Option<String> {
    let behind = picture.behind.session(session.pid)?;
    let proven = holds.iter().any(|hold| hold.scope == Scope::Session);
    let condition = if proven { "" } else { "if it is a session's, " };
    behind.passes_locks_on().then(|| {
        format!(
            "a connection of PgBouncer's pool {}, mode {}: {condition}an earlier client may have left the lock there, and the one shown know nothing of it",
            pool_of(behind),
            behind.mode.as_str()
        )
    })
}

/// `2 clients had the connection while this scan looked: …`; nothing where none was seen.
pub(super) fn borrowers(borrowers: &[PoolerClient]) -> Option<String> {
    let named: Vec<String> = borrowers.iter().map(describe::pooler_client).collect();
    (!named.is_empty()).then(|| {
        format!(
            "{} had the connection while this scan looked: {}",
            words::count(named.len(), "client"),
            words::some_of(&named, 4)
        )
    })
}

/// Who goes on when this owner gives its locks up, and who still waits then.
pub(crate) fn freed(picture: &Picture<'_>, owner: Owner) -> Option<String> {
    let behind = picture.waits.all_behind(owner).len();
    if behind == 0 {
        return None;
    }
    let freed: Vec<i32> = picture
        .waits
        .freed_by(owner)
        .iter()
        .map(|wait| wait.pid)
        .collect();
    let still = behind - freed.len();
    Some(match (freed.len(), still) {
        (0, _) => "nobody can go on by that alone: other owners hold the same locks".to_owned(),
        (_, 0) => format!("{} can go on then", words::pids(&freed)),
        (_, still) => format!(
            "{} can go on then, {still} {} in the queue behind",
            words::pids(&freed),
            words::verb(still, "stays", "stay")
        ),
    })
}

/// The last statement, never called the one that locked.
pub(crate) fn last_statement(session: &Session) -> Option<String> {
    let query = session.query.as_deref()?.trim();
    if query.is_empty() || session.sight == Sight::Masked {
        return None;
    }
    Some(format!(
        "last statement (need not be the one that locked): {}",
        squeezed(query)
    ))
}

/// A statement on one line, as much of it as makes it known again.
pub(super) fn squeezed(query: &str) -> String {
    const SHOWN: usize = 60;
    let words: Vec<&str> = query.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
