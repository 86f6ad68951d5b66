//! What must still be true of a holder at the moment when it is ended, and what has changed if not.

use std::time::SystemTime;

use crate::hold::{Hold, Holder};
use crate::key::AdvisoryTag;
use crate::snapshot::{LockMode, Owner, Session, SessionState, Snapshot};

/// One session with one lock, as it was shown. Pids recur, so its start is part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    pub pid: i32,
    pub backend_start: SystemTime,
    pub state: Option<SessionState>,
    /// [`Session::at_it_since`], as `sql/end_session.sql` has it.
    ///
    /// An idle session may have run a statement in between: one that says `SELECT 1` every second
    /// to keep its connection alive could never be ended otherwise.
    pub since: Option<SystemTime>,
    pub database: u32,
    pub tag: AdvisoryTag,
    pub mode: LockMode,
}

/// Why there is nothing to check a holder by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unguarded {
    /// A prepared transaction has no session.
    Prepared,
    /// It ended while we looked.
    Vanished,
    /// Its start is hidden from our role.
    Hidden,
    /// A pooler has lent us the holder's own connection: we would end ourselves.
    OurOwnSession,
}

/// How a session differs from what was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Ended,
    /// Its pid was given to another session.
    AnotherSession,
    GaveTheLockUp,
    State {
        was: Option<SessionState>,
        is: Option<SessionState>,
    },
    AnotherStatement,
    AnotherTransaction,
    /// A pooler gave us the holder's own connection.
    OurOwnSession,
    Hidden,
    /// It was different for a moment.
    None,
}

impl Guard {
    /// # Errors
    /// [`Unguarded`] where there is no session, none that we see the start of, or only ours.
    pub fn of(snapshot: &Snapshot, hold: &Hold<'_>) -> Result<Self, Unguarded> {
        let session = match hold.holder {
            Holder::Session(session) if session.pid == snapshot.viewer.pid => {
                return Err(Unguarded::OurOwnSession);
            }
            Holder::Session(session) => session,
            Holder::Prepared(_) => return Err(Unguarded::Prepared),
            Holder::Vanished(_) => return Err(Unguarded::Vanished),
        };
        Ok(Self {
            pid: session.pid,
            backend_start: session.backend_start.ok_or(Unguarded::Hidden)?,
            state: session.state.clone(),
            since: session.at_it_since(),
            database: hold.database,
            tag: hold.tag,
            mode: hold.lock.mode.clone(),
        })
    }

    /// What is different in a later look.
    pub fn change(&self, snapshot: &Snapshot) -> Change {
        if snapshot.viewer.pid == self.pid {
            return Change::OurOwnSession;
        }
        match snapshot.session(self.pid) {
            None => Change::Ended,
            Some(session) if session.backend_start.is_none() => Change::Hidden,
            Some(session) if session.backend_start != Some(self.backend_start) => {
                Change::AnotherSession
            }
            Some(_) if !self.holds_its_lock(snapshot) => Change::GaveTheLockUp,
            Some(session) => self.change_of_state(session),
        }
    }

    fn holds_its_lock(&self, snapshot: &Snapshot) -> bool {
        snapshot.locks.iter().any(|lock| {
            lock.granted
                && lock.owner == Owner::Session(self.pid)
                && lock.target.advisory() == Some((self.database, self.tag))
                && lock.mode == self.mode
        })
    }

    fn change_of_state(&self, session: &Session) -> Change {
        if session.state != self.state {
            return Change::State {
                was: self.state.clone(),
                is: session.state.clone(),
            };
        }
        match session.at_it_since() == self.since {
            true => Change::None,
            false if session.is_active() => Change::AnotherStatement,
            false => Change::AnotherTransaction,
        }
    }
}

impl Change {
    /// As the end of `pid 4711 …`.
    pub fn sentence(&self) -> String {
        match self {
            Self::Ended => "has ended by itself".to_owned(),
            Self::AnotherSession => {
                "is another session now: the one that was shown has ended".to_owned()
            }
            Self::GaveTheLockUp => "no longer holds the lock".to_owned(),
            Self::State { was, is } => format!("was {} and is {} now", word(was), word(is)),
            Self::AnotherStatement => "has gone on to another statement".to_owned(),
            Self::AnotherTransaction => "has gone on to another transaction".to_owned(),
            Self::OurOwnSession => {
                "is the session that a pooler has lent us: connect to the server directly"
                    .to_owned()
            }
            Self::Hidden => "can no longer be seen by this role".to_owned(),
            Self::None => {
                "had changed for a moment, and looks as it did again: it is at work".to_owned()
            }
        }
    }
}

fn word(state: &Option<SessionState>) -> &str {
    state
        .as_ref()
        .map_or("of unknown state", SessionState::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::History;
    use crate::planted::{Plant, ago, quiet};
    use crate::snapshot::SessionState::{Active, Idle, IdleInTransaction};

    fn guard(snapshot: &Snapshot) -> Result<Guard, Unguarded> {
        Guard::of(snapshot, &Hold::all(snapshot, &History::default())[0])
    }

    fn change(was: &Snapshot, is: &Snapshot) -> Change {
        guard(was).expect("its start is seen").change(is)
    }

    fn touched(mut snapshot: Snapshot, touch: impl FnOnce(&mut Session)) -> Snapshot {
        touch(&mut snapshot.sessions[0]);
        snapshot
    }

    #[test]
    fn without_a_visible_start_there_is_no_guard() {
        let hidden = quiet().session(10, Idle).masked(10).holds(10, 7);
        assert_eq!(guard(&hidden), Err(Unguarded::Hidden));
        assert_eq!(guard(&quiet().holds(10, 7)), Err(Unguarded::Vanished));
        let mut ours = quiet().session(10, Idle).holds(10, 7);
        ours.viewer.pid = 10;
        assert_eq!(guard(&ours), Err(Unguarded::OurOwnSession));
        let prepared = quiet().prepared("order-17", 736, 7);
        assert_eq!(guard(&prepared), Err(Unguarded::Prepared));
    }

    #[test]
    fn names_what_has_changed() {
        let shown = quiet().session(10, Idle).holds(10, 7);
        assert_eq!(change(&shown, &shown), Change::None);
        assert_eq!(change(&shown, &quiet()), Change::Ended);
        let unlocked = quiet().session(10, Idle).holds(10, 8);
        assert_eq!(change(&shown, &unlocked), Change::GaveTheLockUp);
        let shared = quiet().session(10, Idle).shares(10, 7);
        assert_eq!(change(&shown, &shared), Change::GaveTheLockUp);
        let reused = touched(shown.clone(), |session| {
            session.backend_start = Some(ago(1))
        });
        assert_eq!(change(&shown, &reused), Change::AnotherSession);
        let working = quiet().session(10, Active).holds(10, 7);
        let state = Change::State {
            was: Some(Idle),
            is: Some(Active),
        };
        assert_eq!(change(&shown, &working), state);
        assert_eq!(state.sentence(), "was idle and is active now");
        assert_eq!(change(&shown, &shown.clone().masked(10)), Change::Hidden);
        let mut ours = shown.clone();
        ours.viewer.pid = 10;
        assert_eq!(change(&shown, &ours), Change::OurOwnSession);
    }

    #[test]
    fn another_statement_or_transaction_is_another_matter_but_not_for_an_idle_session() {
        let next = |session: &mut Session| {
            session.query_start = Some(ago(1));
            session.xact_start = session.xact_start.map(|_| ago(1));
        };
        let active = quiet().session(10, Active).holds(10, 7);
        let went_on = touched(active.clone(), next);
        assert_eq!(change(&active, &went_on), Change::AnotherStatement);
        let open = touched(
            quiet().session(10, IdleInTransaction).holds(10, 7),
            |session| session.xact_start = Some(ago(90)),
        );
        let went_on = touched(open.clone(), next);
        assert_eq!(change(&open, &went_on), Change::AnotherTransaction);
        let idle = quiet().session(10, Idle).holds(10, 7);
        let pinged = touched(idle.clone(), next);
        assert_eq!(change(&idle, &pinged), Change::None);
    }
}
