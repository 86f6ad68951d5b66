//! The signs that a holder's backend is a pooler's, told from what the server shows: each a question
//! of its own, with its weight. None of them is a proof by itself.

use std::collections::BTreeSet;

use super::neighbours::Neighbours;
use crate::history::History;
use crate::hold::{Doing, Hold};
use crate::pooler::product::{Product, Sharing, host_in_name, is_reset};
use crate::snapshot::{ConnectionPath, Session, Snapshot};
use crate::words;

/// One thing that speaks for a pooler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sign {
    pub kind: Kind,
    pub weight: Weight,
    /// What was seen, in a sentence without a full stop.
    pub sentence: String,
    /// Whose sign it is, where it is one pooler's own.
    pub product: Option<Product>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Its application_name changed while it held the lock.
    Renamed,
    /// The same, by its own statement.
    RenamesItself,
    /// It is called as a pooler calls its connections, and shared by the transaction.
    SharedByName,
    /// It is called as a pooler calls its connections, in whatever mode.
    Named,
    /// It was reset as a pooler resets, and holds the lock all the same.
    ResetWithLock,
    /// Others of its address changed their application_name.
    NeighboursRenamed,
    /// Others of its address were reset.
    NeighboursReset,
    /// Several programs keep idle sessions at its address.
    Crowd,
    /// We came through a pooler, and to the server from its address.
    OurWay,
    /// It does other work than the lock's, in several samples.
    OtherWork,
    /// The same, in one sample.
    OtherStatement,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Ordinary programs show it too.
    Medium,
    /// Few ordinary programs do.
    Strong,
}

impl Sign {
    fn new(kind: Kind, weight: Weight, sentence: impl Into<String>) -> Self {
        Self {
            kind,
            weight,
            sentence: sentence.into(),
            product: None,
        }
    }

    fn of(self, product: Product) -> Self {
        Self {
            product: Some(product),
            ..self
        }
    }
}

/// What the signs are read from.
pub(super) struct Scene<'a> {
    pub snapshot: &'a Snapshot,
    pub history: &'a History,
    pub hold: &'a Hold<'a>,
    pub session: &'a Session,
    pub neighbours: &'a Neighbours,
}

/// All signs that a holder shows.
pub(super) fn all(scene: &Scene<'_>) -> Vec<Sign> {
    [
        renamed(scene),
        named(scene.session),
        host_named(scene.session),
        reset_with_lock(scene.session),
        neighbours_renamed(scene),
        our_way(scene),
        neighbours_reset(scene),
        crowd(scene),
        other_work(scene),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Under a held lock a pooler's connection goes by the name of whoever borrowed it last. A program
/// may rename itself; it gives that away when that was its last statement.
fn renamed(scene: &Scene<'_>) -> Option<Sign> {
    let names = scene.history.applications(scene.snapshot, scene.hold.lock);
    if names.len() < 2 {
        return None;
    }
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    let seen = format!(
        "in the samples that show it with the lock, the backend goes by application_name {}",
        words::some_of(&names, 6)
    );
    let by_itself = scene.session.query.as_deref().is_some_and(sets_its_name);
    Some(match by_itself {
        true => Sign::new(
            Kind::RenamesItself,
            Weight::Medium,
            format!("{seen}; its last statement sets that name, so it may be one program"),
        ),
        false => Sign::new(
            Kind::Renamed,
            Weight::Strong,
            format!("{seen} (unless each took it anew in a pool by session)"),
        ),
    })
}

/// PgBouncer sets the name too, in a form of its own (`SET TimeZone='UTC';SET application_name='svc';`),
/// and a sample may fall between that and the client's statement.
fn sets_its_name(statement: &str) -> bool {
    let is_pgbouncers = statement.starts_with("SET ")
        && statement.contains("SET application_name='")
        && statement.ends_with("';");
    if is_pgbouncers {
        return false;
    }
    let statement = statement.to_lowercase();
    statement.contains("application_name")
        && (statement.trim_start().starts_with("set") || statement.contains("set_config"))
}

fn named(session: &Session) -> Option<Sign> {
    let name = session.application_name.as_deref()?;
    let named = Product::by_application_name(name)?;
    let kind = match named.sharing {
        Sharing::ByTransaction => Kind::SharedByName,
        Sharing::Unknown => Kind::Named,
    };
    let sentence = format!(
        "its application_name is what {} calls its own connections",
        named.product.name()
    );
    Some(Sign::new(kind, Weight::Strong, sentence).of(named.product))
}

/// A client that is elsewhere than the connection: PgBouncer's application_name_add_host.
fn host_named(session: &Session) -> Option<Sign> {
    let host = host_in_name(session.application_name.as_deref()?)?;
    let from = session.client_addr.as_deref()?;
    (host != from).then(|| {
        let sentence = format!(
            "its application_name ends in an address of {host}, but it comes from {from}: PgBouncer's application_name_add_host"
        );
        Sign::new(Kind::Named, Weight::Strong, sentence).of(Product::PgBouncer)
    })
}

/// `DISCARD ALL` would have given the lock up.
fn reset_with_lock(session: &Session) -> Option<Sign> {
    let statement = session.query.as_deref()?;
    let product = Product::by_statement(statement)?;
    let sentence = format!(
        "its last statement is one that {} sends for itself, and no client",
        product.name()
    );
    Some(Sign::new(Kind::ResetWithLock, Weight::Strong, sentence).of(product))
}

/// On one machine direct clients and a pooler's come from the same address.
fn by_place(session: &Session) -> Weight {
    match is_local(session) {
        true => Weight::Medium,
        false => Weight::Strong,
    }
}

fn is_local(session: &Session) -> bool {
    let address = session.client_addr.as_deref().map(str::parse);
    match address {
        Some(Ok::<std::net::IpAddr, _>(address)) => address.is_loopback(),
        Some(Err(_)) => false,
        None => true,
    }
}

fn neighbours_renamed(scene: &Scene<'_>) -> Option<Sign> {
    let number = scene.neighbours.renamed_beside(scene.session);
    (number > 0).then(|| {
        let sentence = format!(
            "{} of the same role, database and address changed {} application_name between samples",
            words::count(number, "other session"),
            words::verb(number, "its", "their"),
        );
        Sign::new(Kind::NeighboursRenamed, by_place(scene.session), sentence)
    })
}

fn our_way(scene: &Scene<'_>) -> Option<Sign> {
    let ConnectionPath::Pooler(_) = scene.snapshot.server.path else {
        return None;
    };
    let ours = scene.snapshot.session(scene.snapshot.viewer.pid)?;
    let place = |session: &Session| {
        (
            session.client_addr.clone(),
            session.usename.clone(),
            session.datname.clone(),
        )
    };
    (place(ours) == place(scene.session)).then(|| {
        Sign::new(
            Kind::OurWay,
            by_place(scene.session),
            "this scan came through a pooler, and to the server from the same address, role and database",
        )
    })
}

/// Drivers' own pools do so too.
fn neighbours_reset(scene: &Scene<'_>) -> Option<Sign> {
    let number = scene.neighbours.reset_beside(scene.session);
    (number > 0).then(|| {
        let sentence = format!(
            "{} of the same role, database and address {} last reset, as pools do when a connection comes back",
            words::count(number, "other idle session"),
            words::verb(number, "was", "were"),
        );
        Sign::new(Kind::NeighboursReset, Weight::Medium, sentence)
    })
}

/// One address of several programs: a pooler's, or that of a network that hides its hosts. On the
/// server's own machine it means nothing.
fn crowd(scene: &Scene<'_>) -> Option<Sign> {
    const IDLE: usize = 4;
    const NAMES: usize = 3;
    let (idle, names) = scene.neighbours.crowd_round(scene.session);
    let is_crowd = idle >= IDLE && names >= NAMES && !is_local(scene.session);
    is_crowd.then(|| {
        let sentence = format!(
            "{idle} idle sessions of {names} application_names share its address, role and database"
        );
        Sign::new(Kind::Crowd, Weight::Medium, sentence)
    })
}

/// A leader that works on the connection of its lock looks the same.
fn other_work(scene: &Scene<'_>) -> Option<Sign> {
    const ALTERNATING: usize = 3;
    let statements: BTreeSet<String> = scene.history.statements(scene.snapshot, scene.hold.lock);
    if statements.iter().any(|one| is_of_the_lock(one)) {
        return None;
    }
    if statements.len() >= ALTERNATING {
        let sentence = format!(
            "{} different statements were seen there while it held the lock, none of them about advisory locks",
            statements.len()
        );
        return Some(Sign::new(Kind::OtherWork, Weight::Medium, sentence));
    }
    let now = scene.session.query.as_deref().unwrap_or_default();
    let rests = matches!(scene.hold.doing(), Doing::Idle);
    (rests && !now.trim().is_empty()).then(|| {
        Sign::new(
            Kind::OtherStatement,
            Weight::Medium,
            "its last statement is not about advisory locks",
        )
    })
}

fn is_of_the_lock(statement: &str) -> bool {
    statement.to_lowercase().contains("advisory") && !is_reset(statement)
}
