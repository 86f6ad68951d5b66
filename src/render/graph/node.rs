//! What is written on a node: who it is, what it does, what it waits for, what it holds.

use crate::describe;
use crate::hold::Hold;
use crate::picture::Picture;
use crate::render::lock_rows::doing;
use crate::snapshot::Owner;
use crate::waits::{Wait, WaitSource};
use crate::words;

/// A session or a prepared transaction.
pub(in crate::render) struct Node {
    pub owner: Owner,
    /// `pid 4711 (worker)`
    pub who: String,
    /// `idle for 5m`; `None` for a waiter, which does nothing else.
    pub does: Option<String>,
    /// `waits 30s, number 2 in the queue`
    pub waits: Option<String>,
    /// `for key 42 in orders`
    pub target: Option<String>,
    /// `holds 42, 43 and 7 more`
    pub holds: Option<String>,
    pub kind: Kind,
    /// The node that it is drawn behind.
    pub parent: Option<usize>,
    /// Waiters directly behind it that are not drawn.
    pub more: usize,
}

/// How it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::render) enum Kind {
    Waiter,
    /// A holder that does nothing, in a transaction or outside.
    IdleHolder,
    PreparedHolder,
    /// A holder at work, or one of which nothing is known.
    Holder,
}

impl Node {
    pub(super) fn of(picture: &Picture<'_>, owner: Owner, parent: Option<usize>) -> Self {
        let holds: Vec<&Hold<'_>> = picture.holds_of(owner).collect();
        let wait = owner.pid().and_then(|pid| picture.waits.wait_of(pid));
        Self {
            owner,
            who: describe::short(picture, owner),
            does: match wait {
                Some(_) => None,
                None => Some(does(picture, owner, &holds)),
            },
            waits: wait.map(waits),
            target: wait.map(|wait| {
                let target = describe::target(picture, &wait.lock.target);
                format!("for {target}")
            }),
            holds: held(&holds),
            kind: kind(wait, owner, &holds),
            parent,
            more: 0,
        }
    }

    /// All of it, line by line.
    pub(in crate::render) fn lines(&self) -> impl Iterator<Item = &str> {
        let rest = [&self.does, &self.waits, &self.target, &self.holds];
        std::iter::once(&self.who[..]).chain(rest.into_iter().flatten().map(String::as_str))
    }

    /// Line by line, without what its edges say.
    pub(in crate::render) fn about(&self) -> impl Iterator<Item = &str> {
        let rest = [&self.does, &self.waits, &self.holds].into_iter().flatten();
        std::iter::once(&self.who[..]).chain(rest.map(String::as_str))
    }
}

fn kind(wait: Option<&Wait<'_>>, owner: Owner, holds: &[&Hold<'_>]) -> Kind {
    let at_rest = holds.first().is_some_and(|hold| hold.doing().is_at_rest());
    match (wait, owner) {
        (Some(_), _) => Kind::Waiter,
        (None, Owner::Prepared(_)) => Kind::PreparedHolder,
        (None, Owner::Session(_)) if at_rest => Kind::IdleHolder,
        (None, Owner::Session(_)) => Kind::Holder,
    }
}

fn does(picture: &Picture<'_>, owner: Owner, holds: &[&Hold<'_>]) -> String {
    let Some(hold) = holds.first() else {
        let session = owner.pid().and_then(|pid| picture.snapshot.session(pid));
        let state = session.and_then(|session| session.state.as_ref());
        return state.map_or("state not known".to_owned(), |state| {
            state.as_str().to_owned()
        });
    };
    match hold.at_least {
        Some(time) => format!("{} for {}", doing(hold.doing()), words::duration(time)),
        None => doing(hold.doing()).to_owned(),
    }
}

fn waits(wait: &Wait<'_>) -> String {
    let time = match (wait.waiting, wait.source) {
        (Some(time), WaitSource::WaitStart) => format!(" {}", words::duration(time)),
        (Some(time), _) => format!(" {} at most", words::duration(time)),
        (None, _) => String::new(),
    };
    let place = match wait.queue_position {
        1 => String::new(),
        position => format!(", number {position} in the queue"),
    };
    format!("waits{time}{place}")
}

fn held(holds: &[&Hold<'_>]) -> Option<String> {
    let keys: Vec<String> = holds.iter().map(|hold| hold.tag.to_string()).collect();
    (!keys.is_empty()).then(|| format!("holds {}", words::some_of(&keys, 3)))
}
