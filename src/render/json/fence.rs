//! What `lockaudit migrate fence` says, as JSON: a line an event, one of the documents of `migrate`.

use serde::Serialize;

use super::lock::{KeyObject, key};
use super::migrate::SCHEMA_VERSION;
use super::value::{seconds, timestamp};
use crate::cutover::fence::{Event, Said};
use crate::key::Sharing;
use crate::lease::Standing;

/// What does not belong to an event is null.
#[derive(Serialize, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct FenceLine {
    schema_version: u32,
    /// By the server's clock; null where it could not say.
    at: Option<String>,
    /// `began`, `held`, `whole`, `old_holder`, `old_waiter`, `gone`, `given_back`, `other_fence`, `dead_fence`,
    /// `no_place`, `lease_taken_anew`, `lost` or `ended`
    event: &'static str,
    /// The name of the fence's own lease.
    fence: String,
    keys_held: usize,
    keys_wanted: usize,
    /// Old holders and waiters so far.
    met: usize,
    name: Option<String>,
    key: Option<KeyObject>,
    /// Of the mode that a name was given back in; null where it has no old key any more.
    mode: Option<&'static str>,
    /// Of old code; null for a prepared transaction.
    pid: Option<i32>,
    application_name: Option<String>,
    /// Of a holder the start of its session, of a waiter that of its statement.
    since: Option<String>,
    /// Of another fence.
    holder: Option<String>,
    /// Since the lease of a dead fence ran out.
    expired_seconds: Option<f64>,
    /// Names that have no place.
    names: Option<Vec<String>>,
    /// What the server said last.
    words: Option<String>,
}

pub(super) fn object(said: &Said<'_>) -> FenceLine {
    let Said {
        at,
        fence,
        held,
        wanted,
        met,
        event,
    } = said;
    let line = FenceLine {
        schema_version: SCHEMA_VERSION,
        at: at.and_then(timestamp),
        fence: fence.to_string(),
        keys_held: *held,
        keys_wanted: *wanted,
        met: *met,
        ..FenceLine::default()
    };
    with_event(line, event)
}

fn with_event(line: FenceLine, event: &Event) -> FenceLine {
    match event {
        Event::Began { process, .. } => FenceLine {
            event: "began",
            pid: Some(*process),
            ..line
        },
        Event::Held(name, old) => FenceLine {
            event: "held",
            name: Some(name.to_string()),
            key: Some(key(old.tag(), Some(Sharing::Shared))),
            ..line
        },
        Event::GivenBack(name, mode) => FenceLine {
            event: "given_back",
            name: Some(name.to_string()),
            mode: mode.map(crate::lease::Mode::as_str),
            ..line
        },
        Event::Whole => FenceLine {
            event: "whole",
            ..line
        },
        Event::Met(user) | Event::Gone(user) => FenceLine {
            event: match (event, user.granted) {
                (Event::Gone(_), _) => "gone",
                (_, true) => "old_holder",
                (_, false) => "old_waiter",
            },
            name: Some(user.name.to_string()),
            pid: user.pid,
            application_name: user.application.clone(),
            since: user.since.and_then(timestamp),
            ..line
        },
        Event::OtherFence(fence) | Event::DeadFence(fence) => FenceLine {
            event: match event {
                Event::OtherFence(_) => "other_fence",
                _ => "dead_fence",
            },
            name: Some(fence.name.to_string()),
            holder: Some(fence.holder.to_string()),
            expired_seconds: match fence.standing {
                Standing::Expired { since } => Some(seconds(since)),
                Standing::Valid { .. } => None,
            },
            ..line
        },
        Event::NoPlace(names) => FenceLine {
            event: "no_place",
            names: Some(names.iter().map(ToString::to_string).collect()),
            ..line
        },
        Event::LeaseTakenAnew => FenceLine {
            event: "lease_taken_anew",
            ..line
        },
        Event::Lost(words) => FenceLine {
            event: "lost",
            words: words.clone(),
            ..line
        },
        Event::Ended => FenceLine {
            event: "ended",
            ..line
        },
    }
}
