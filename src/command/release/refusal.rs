//! Why a holder can't be ended by us, and by whom or how it can.

use anyhow::Error;

use crate::exit::Hint;
use crate::pg::release::{Forbidden, SessionOwner};
use crate::release::{NotHeld, Unguarded};

/// The named one does not hold it.
pub(super) fn not_held(NotHeld { first, more }: NotHeld) -> Error {
    let mut lines = std::iter::once(first).chain(more).rev();
    let last = Error::msg(lines.next().unwrap_or_default());
    lines.fold(last, Error::context)
}

/// There is nothing to check the holder by.
pub(super) fn unguarded(holder: &str, because: Unguarded) -> Error {
    let (cause, hint) = match because {
        Unguarded::Hidden => (
            "its start and state are hidden from this role, so a later session with its pid could \
             not be told from it",
            "run this as a member of pg_monitor (GRANT pg_monitor TO …)",
        ),
        Unguarded::OurOwnSession => (
            "it is the session that a pooler has lent us: we would end ourselves",
            "connect to the server directly, or use the pooler's own way (PgBouncer's console: \
             RECONNECT)",
        ),
        Unguarded::Vanished => ("its session ended while we looked", "look again"),
        Unguarded::Prepared => (
            "the server did not list it",
            "look its global id up in pg_prepared_xacts",
        ),
    };
    Hint::error(hint)
        .context(cause)
        .context(format!("{holder} is left alone"))
}

/// Its transaction manager may still want to commit it.
pub(super) fn prepared(holder: &str, way_out: &str) -> Error {
    Hint::error(format!(
        "ask the transaction manager first, which may still commit it; {way_out}, by the statement \
         above"
    ))
    .context(format!(
        "{holder} is left alone: it has no session that could be ended"
    ))
}

/// The server's words, then the grant that would do.
pub(super) fn forbidden(pid: i32, role: &str, forbidden: &Forbidden) -> Error {
    let words = &forbidden.words;
    let detail = words.detail.as_ref();
    let said = detail.map_or(words.to_string(), |detail| format!("{words}: {detail}"));
    Hint::error(remedy(role, forbidden.owner.as_ref()))
        .context(format!("the server says: {said}"))
        .context(format!("nothing done: {role} may not end pid {pid}"))
}

fn remedy(role: &str, owner: Option<&SessionOwner>) -> String {
    match owner {
        Some(SessionOwner {
            role: owner,
            superuser: true,
        }) => format!("{owner} is a superuser, whose sessions only a superuser ends"),
        Some(SessionOwner { role: owner, .. }) => format!(
            "run this as a member of {owner}, or of pg_signal_backend (GRANT pg_signal_backend TO \
             {role})"
        ),
        None => format!(
            "run this as a member of pg_signal_backend (GRANT pg_signal_backend TO {role}); the \
             session of a superuser, or of no role, needs a superuser"
        ),
    }
}
