//! The sessions that share a holder's address, role and database, counted once for all holders.

use std::collections::{BTreeSet, HashMap};

use crate::history::History;
use crate::pooler::product::is_reset;
use crate::snapshot::{Session, SessionState, Snapshot};

/// A pooler keeps its connections apart by role and database.
type Place = (Option<String>, Option<String>, Option<String>);

#[derive(Debug, Default)]
pub(super) struct Neighbours(HashMap<Place, Circle>);

#[derive(Debug, Default)]
struct Circle {
    idle: BTreeSet<i32>,
    names: BTreeSet<String>,
    reset: BTreeSet<i32>,
    renamed: BTreeSet<i32>,
}

impl Neighbours {
    pub(super) fn of(snapshot: &Snapshot, history: &History) -> Self {
        let mut circles: HashMap<Place, Circle> = HashMap::new();
        let others = snapshot.sessions.iter();
        for session in
            others.filter(|one| one.is_client_backend() && one.pid != snapshot.viewer.pid)
        {
            let circle = circles.entry(place(session)).or_default();
            if history.names_of(session).len() > 1 {
                circle.renamed.insert(session.pid);
            }
            if session.state == Some(SessionState::Idle) {
                circle.add_idle(session);
            }
        }
        Self(circles)
    }

    pub(super) fn renamed_beside(&self, session: &Session) -> usize {
        self.besides(session, |circle| &circle.renamed)
    }

    pub(super) fn reset_beside(&self, session: &Session) -> usize {
        self.besides(session, |circle| &circle.reset)
    }

    /// Idle sessions, and how many names they go by.
    pub(super) fn crowd_round(&self, session: &Session) -> (usize, usize) {
        let circle = self.0.get(&place(session));
        circle.map_or((0, 0), |circle| (circle.idle.len(), circle.names.len()))
    }

    fn besides(&self, session: &Session, of: fn(&Circle) -> &BTreeSet<i32>) -> usize {
        let circle = self.0.get(&place(session)).map(of);
        circle.map_or(0, |pids| {
            pids.iter().filter(|pid| **pid != session.pid).count()
        })
    }
}

impl Circle {
    fn add_idle(&mut self, session: &Session) {
        self.idle.insert(session.pid);
        let name = session.application_name.clone();
        self.names.extend(name.filter(|name| !name.is_empty()));
        if session.query.as_deref().is_some_and(is_reset) {
            self.reset.insert(session.pid);
        }
    }
}

fn place(session: &Session) -> Place {
    (
        session.client_addr.clone(),
        session.usename.clone(),
        session.datname.clone(),
    )
}
