//! Sessions that ask for a lock and don't wait for it. No row of `pg_locks` shows them, only the text
//! of their last statement: a key that nobody queues for can keep a dozen of them from their work.

use crate::hold::Hold;
use crate::key::{AdvisoryKey, Sharing};
use crate::picture::Picture;
use crate::snapshot::{LockMode, Owner, Session, Snapshot};

/// The first call in a statement that takes an advisory lock or gives up at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TryLock {
    /// `None` where the text does not say it: a parameter, a column, a hash.
    pub key: Option<AdvisoryKey>,
    pub sharing: Sharing,
}

impl TryLock {
    pub fn in_statement(query: &str) -> Option<Self> {
        let text = query.to_ascii_lowercase();
        let (_, call) = text.split_once("pg_try_advisory_")?;
        let call = call.strip_prefix("xact_").unwrap_or(call);
        let call = call.strip_prefix("lock")?;
        let (sharing, call) = match call.strip_prefix("_shared") {
            Some(call) => (Sharing::Shared, call),
            None => (Sharing::Exclusive, call),
        };
        let arguments = call.trim_start().strip_prefix('(')?;
        Some(Self {
            key: arguments
                .split_once(')')
                .and_then(|(arguments, _)| key(arguments)),
            sharing,
        })
    }

    fn conflicts_with(self, hold: &Hold<'_>) -> bool {
        let mode = match self.sharing {
            Sharing::Exclusive => LockMode::Exclusive,
            Sharing::Shared => LockMode::Share,
        };
        self.key == hold.tag.key() && mode.conflicts_with(&hold.lock.mode)
    }
}

/// `5`, `'-7'::int, 42`
fn key(arguments: &str) -> Option<AdvisoryKey> {
    let numbers: Option<Vec<i64>> = arguments.split(',').map(number).collect();
    match numbers?[..] {
        [key] => Some(AdvisoryKey::Single(key)),
        [first, second] => Some(AdvisoryKey::Pair(
            first.try_into().ok()?,
            second.try_into().ok()?,
        )),
        _ => None,
    }
}

fn number(argument: &str) -> Option<i64> {
    let value = argument.split("::").next()?.trim();
    let bare = value
        .strip_prefix('\'')
        .and_then(|it| it.strip_suffix('\''));
    bare.unwrap_or(value).trim().parse().ok()
}

/// A client's session whose last statement asked so.
#[derive(Debug, Clone, Copy)]
pub struct Asker<'a> {
    pub session: &'a Session,
    pub asked: TryLock,
}

impl<'a> Asker<'a> {
    pub fn all(snapshot: &'a Snapshot) -> Vec<Self> {
        let sessions = snapshot.sessions.iter();
        sessions
            .filter(|session| session.is_client_backend() && session.pid != snapshot.viewer.pid)
            .filter_map(|session| {
                let asked = TryLock::in_statement(session.query.as_deref()?)?;
                Some(Self { session, asked })
            })
            .collect()
    }
}

/// Who asked in vain for what one owner holds, in a transaction or outside any.
#[derive(Debug, Default)]
pub struct Refused {
    /// They asked for one of these very keys.
    pub for_it: Vec<i32>,
    /// They asked for a key that their statement does not show, and hold none.
    pub for_some_key: Vec<i32>,
}

/// Only those count that asked since the owner fell idle: from then on it has held without a break.
pub fn refused(picture: &Picture<'_>, holds: &[&Hold<'_>]) -> Refused {
    let mut refused = Refused::default();
    for Asker { session, asked } in &picture.askers {
        let pid = session.pid;
        let of_its_time = || {
            holds
                .iter()
                .filter(|hold| held_all_along(picture, hold, session))
        };
        match asked.key {
            Some(_) if of_its_time().any(|hold| asked.conflicts_with(hold)) => {
                refused.for_it.push(pid);
            }
            None if picture.holds_of(Owner::Session(pid)).next().is_none()
                && of_its_time().next().is_some() =>
            {
                refused.for_some_key.push(pid);
            }
            _ => (),
        }
    }
    refused
}

fn held_all_along(picture: &Picture<'_>, hold: &Hold<'_>, session: &Session) -> bool {
    let asked = session.query_start.map(|start| picture.snapshot.age(start));
    session.datid == Some(hold.database)
        && hold.pid() != Some(session.pid)
        && asked.is_some_and(|asked| hold.at_least.is_some_and(|idle| asked < idle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Expectations;
    use crate::planted::{Plant, ago, quiet};
    use crate::snapshot::SessionState::Idle;

    fn of(query: &str) -> Option<(Option<AdvisoryKey>, Sharing)> {
        TryLock::in_statement(query).map(|call| (call.key, call.sharing))
    }

    #[test]
    fn reads_a_key_that_the_statement_spells_out() {
        let exclusive = |key| Some((Some(key), Sharing::Exclusive));
        assert_eq!(
            of("select pg_try_advisory_lock(5)"),
            exclusive(AdvisoryKey::Single(5))
        );
        assert_eq!(
            of("SELECT PG_TRY_ADVISORY_XACT_LOCK ( '-7'::int , 42 )"),
            exclusive(AdvisoryKey::Pair(-7, 42))
        );
        assert_eq!(
            of("SELECT pg_try_advisory_xact_lock_shared('5'::bigint) AS got"),
            Some((Some(AdvisoryKey::Single(5)), Sharing::Shared))
        );
    }

    #[test]
    fn guesses_no_key_that_it_does_not_read() {
        for hidden in [
            "$1",
            "hashtext('k')",
            "id",
            "1, $2",
            "3000000000, 1",
            "5 + 1",
        ] {
            let query = format!("SELECT pg_try_advisory_lock({hidden})");
            assert_eq!(of(&query), Some((None, Sharing::Exclusive)), "{query}");
        }
        assert_eq!(
            of("SELECT pg_try_advisory_lock(12"),
            Some((None, Sharing::Exclusive))
        );
        assert_eq!(of("SELECT pg_advisory_lock(5)"), None);
    }

    /// A holder of 7 that fell idle a minute ago, and a session that asked so many seconds ago.
    fn asked(query: &str, seconds: u64) -> Snapshot {
        let mut snapshot = quiet().session(10, Idle).holds(10, 7).session(11, Idle);
        snapshot.sessions[1].query = Some(query.to_owned());
        snapshot.sessions[1].query_start = Some(ago(seconds));
        snapshot
    }

    fn told(snapshot: &Snapshot) -> (Vec<i32>, Vec<i32>) {
        let expectations = Expectations::default();
        let picture = Picture::of(&[], snapshot, &expectations);
        let refused = refused(&picture, &[&picture.holds[0]]);
        (refused.for_it, refused.for_some_key)
    }

    #[test]
    fn only_who_asked_since_the_holder_fell_idle_was_refused() {
        assert_eq!(told(&asked("SELECT pg_try_advisory_lock(7)", 1)).0, [11]);
        assert!(
            told(&asked("SELECT pg_try_advisory_lock(7)", 90))
                .0
                .is_empty()
        );
        assert!(
            told(&asked("SELECT pg_try_advisory_lock(8)", 1))
                .0
                .is_empty()
        );
    }

    #[test]
    fn sharing_a_shared_key_is_not_refused() {
        let mut snapshot = asked("SELECT pg_try_advisory_lock_shared(7)", 1);
        assert_eq!(told(&snapshot).0, [11]);
        snapshot.locks[0].mode = LockMode::Share;
        assert!(told(&snapshot).0.is_empty());
    }

    #[test]
    fn a_hidden_key_may_be_this_one_unless_the_session_got_what_it_asked_for() {
        let snapshot = asked("SELECT pg_try_advisory_lock($1)", 1);
        assert_eq!(told(&snapshot), (vec![], vec![11]));
        assert_eq!(told(&snapshot.holds(11, 8)), (vec![], vec![]));
    }
}
