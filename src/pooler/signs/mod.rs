//! Whether a holder's backend is a pooler's connection, where no console says so: the signs that the
//! server shows are weighed, over one sample or several.
//!
//! Two questions, since their harm is not the same: whether a pooler stands between (then ending the
//! session ends nobody's client, and its name is a borrower's), and whether it lends the connection
//! to others while the lock is held (then the lock excludes nobody).

mod neighbours;
mod sign;

use std::collections::HashMap;

use crate::certainty::Certainty;
use crate::history::History;
use crate::hold::{Hold, Scope};
use crate::snapshot::Snapshot;

pub use sign::{Kind, Sign, Weight};

use super::product::{Product, host_in_name};
use neighbours::Neighbours;
use sign::Scene;

/// What the signs of one holder come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pooled {
    /// How sure it is that its session is a pooler's.
    pub certainty: Certainty,
    /// How sure it is that the pooler lends it on while the lock is held.
    pub shared: Option<Certainty>,
    pub signs: Vec<Sign>,
}

impl Pooled {
    /// The holders with session-level locks that show enough, by pid.
    pub fn all(snapshot: &Snapshot, history: &History, holds: &[Hold<'_>]) -> HashMap<i32, Self> {
        let sessions = holds.iter().filter(|hold| hold.scope == Scope::Session);
        let mut pooled = HashMap::new();
        let mut neighbours = None;
        for hold in sessions {
            let Some(session) = hold.holder.session() else {
                continue;
            };
            let scene = Scene {
                snapshot,
                history,
                hold,
                session,
                neighbours: neighbours.get_or_insert_with(|| Neighbours::of(snapshot, history)),
            };
            if let Some(found) = weigh(sign::all(&scene)) {
                let known = pooled.entry(session.pid).or_insert_with(|| found.clone());
                if known.shared < found.shared {
                    *known = found;
                }
            }
        }
        pooled
    }

    /// The one pooler that the signs name.
    pub fn product(&self) -> Option<Product> {
        self.signs.iter().find_map(|sign| sign.product)
    }
}

fn weigh(signs: Vec<Sign>) -> Option<Pooled> {
    let shared = shared(&signs);
    let certainty = pooled(&signs).max(shared)?;
    Some(Pooled {
        certainty,
        shared,
        signs,
    })
}

/// A strong sign, or two ordinary ones, of which one says that several programs are behind the
/// address: the others are shown by a single program's own pool.
fn pooled(signs: &[Sign]) -> Option<Certainty> {
    let has = |kind| signs.iter().any(|sign| sign.kind == kind);
    let medium = signs.iter().filter(|sign| sign.weight == Weight::Medium);
    let strong = signs.iter().any(|sign| sign.weight == Weight::Strong);
    match medium.count() {
        _ if strong => Some(Certainty::Likely),
        2.. if has(Kind::Crowd) => Some(Certainty::Likely),
        2.. => Some(Certainty::Possible),
        _ => None,
    }
}

/// A changed name is likely, and no more, whatever else shows: a program may rename itself, and in a pool
/// by session clients that follow each other may each have taken the lock anew. Other work on the lock's
/// connection needs a pooler round it, since a leader works there too.
fn shared(signs: &[Sign]) -> Option<Certainty> {
    let has = |kind| signs.iter().any(|sign| sign.kind == kind);
    let around = pooled(signs) >= Some(Certainty::Likely);
    let by_itself = [Kind::Renamed, Kind::SharedByName, Kind::ResetWithLock];
    if by_itself.into_iter().any(has) || (around && has(Kind::OtherWork)) {
        return Some(Certainty::Likely);
    }
    let hint = has(Kind::RenamesItself) || (around && has(Kind::OtherStatement));
    hint.then_some(Certainty::Possible)
}

/// Whether the server knows a session of ours, begun as `ours`, by a name that a pooler made.
pub fn renamed_us(ours: &str, seen: &str) -> bool {
    ours != seen && (Product::by_application_name(seen).is_some() || host_in_name(seen).is_some())
}

/// The pooler that our own session came through, where the server's name for it says which.
pub fn of_our_own_way(snapshot: &Snapshot) -> Option<Product> {
    if !snapshot.server.path.is_indirect() {
        return None;
    }
    let ours = snapshot.session(snapshot.viewer.pid)?;
    let name = ours.application_name.as_deref()?;
    let named = Product::by_application_name(name).map(|named| named.product);
    named.or_else(|| host_in_name(name).map(|_| Product::PgBouncer))
}

#[cfg(test)]
mod tests;
