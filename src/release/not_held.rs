//! Why the hold that was named is not there: what the named one holds, and who holds the key.

use super::{Named, Wanted, way_out};
use crate::describe;
use crate::finding::said;
use crate::hold::{Hold, Holder};
use crate::picture::{LockId, Picture};
use crate::snapshot::Owner;
use crate::words;

/// How many locks or holders are named.
const NAMED: usize = 5;

/// Nothing to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotHeld {
    /// What is wrong.
    pub first: String,
    /// What may help, one a line.
    pub more: Vec<String>,
}

impl NotHeld {
    pub(super) fn explain(picture: &Picture<'_>, wanted: &Wanted) -> Self {
        let instead = owner_named(picture, &wanted.holder).map(|owner| instead(picture, owner));
        let key = holders_of_key(picture, wanted);
        Self {
            first: headline(picture, wanted),
            more: instead.into_iter().chain([key]).collect(),
        }
    }
}

fn headline(picture: &Picture<'_>, wanted: &Wanted) -> String {
    let key = describe::key(picture, id(wanted));
    match (&wanted.holder, owner_named(picture, &wanted.holder)) {
        (Named::Pid(pid), None) => format!("there is no session with pid {pid}"),
        (Named::Gid(gid), None) => format!("there is no prepared transaction '{gid}'"),
        (_, Some(owner)) if waits_for_key(picture, owner, wanted) => format!(
            "{} waits for {key} and does not hold it",
            describe::owner(picture, owner)
        ),
        (_, Some(owner)) => format!("{} does not hold {key}", describe::owner(picture, owner)),
    }
}

/// The named one, if it is there at all.
fn owner_named(picture: &Picture<'_>, holder: &Named) -> Option<Owner> {
    match holder {
        Named::Pid(pid) => picture.snapshot.session(*pid).map(|_| Owner::Session(*pid)),
        Named::Gid(_) => {
            let mut holds = picture.holds.iter();
            holds
                .find(|hold| holder.is_holder_of(hold))
                .map(Hold::owner)
        }
    }
}

fn waits_for_key(picture: &Picture<'_>, owner: Owner, wanted: &Wanted) -> bool {
    let wait = owner.pid().and_then(|pid| picture.waits.wait_of(pid));
    wait.is_some_and(|wait| wait.lock.target.advisory() == Some((wanted.database, wanted.tag)))
}

fn instead(picture: &Picture<'_>, owner: Owner) -> String {
    let holds: Vec<&Hold<'_>> = picture.holds_of(owner).collect();
    let ids = said::distinct(&holds);
    let keys: Vec<String> = ids.iter().map(|id| describe::key(picture, *id)).collect();
    match keys.is_empty() {
        true => "it holds no advisory lock".to_owned(),
        false => format!("it holds {}", words::some_of(&keys, NAMED)),
    }
}

fn holders_of_key(picture: &Picture<'_>, wanted: &Wanted) -> String {
    let key = describe::key(picture, id(wanted));
    let holds = picture.holds.iter().filter(|hold| wanted.is_of_key(hold));
    let holders: Vec<String> = holds.map(|hold| holder(picture, hold)).collect();
    match holders.is_empty() {
        true => format!("nobody holds {key}"),
        false => format!("{key} is held by {}", words::some_of(&holders, NAMED)),
    }
}

fn holder(picture: &Picture<'_>, hold: &Hold<'_>) -> String {
    let name = describe::owner(picture, hold.owner());
    match hold.holder {
        Holder::Prepared(Some(prepared)) => {
            let advice = way_out(picture, prepared);
            format!(
                "{name}; {}: {}",
                advice.text,
                advice.sql.unwrap_or_default()
            )
        }
        _ => name,
    }
}

fn id(wanted: &Wanted) -> LockId {
    LockId {
        database: wanted.database,
        tag: wanted.tag,
    }
}
