//! What `lockaudit lease` says, as JSON: documents of their own, versioned by themselves.

use std::io::{self, Write};

use serde::Serialize;

use super::layout;
use super::value::{seconds, timestamp};
use crate::lease::{Event, Left, Listed, Standing, Tenure, Term};

/// The `schema_version` of every document.
pub const SCHEMA_VERSION: u32 = 1;

/// The JSON Schema of the documents, as committed.
pub const SCHEMA: &str = include_str!("../../../schema/lease.json");

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
enum Document {
    /// `lease take`, `renew`, `check`
    Term {
        schema_version: u32,
        /// `null` for `check`: it is not valid.
        lease: Option<TermObject>,
    },
    /// `lease list`
    Listed {
        schema_version: u32,
        leases: Vec<ListedObject>,
    },
    /// `lease history`
    History {
        schema_version: u32,
        events: Vec<EventObject>,
    },
}

/// A valid lease.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TermObject {
    name: String,
    holder: String,
    /// The fencing token: 64 bits, so a string.
    token: String,
    /// By the server's clock.
    expires_at: Option<String>,
    /// When the server answered.
    remaining_seconds: f64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ListedObject {
    name: String,
    /// `free`, `held`, `overdue` (more than half of its time has passed without a renewal) or
    /// `expired` (and nobody has taken it since)
    state: &'static str,
    holder: Option<String>,
    /// The last one granted, or raised by `lease break`.
    token: String,
    taken_at: Option<String>,
    held_seconds: Option<f64>,
    ttl_seconds: Option<f64>,
    expires_at: Option<String>,
    /// 0 once it has expired.
    remaining_seconds: Option<f64>,
    /// `advisory`, `both` or `lease`
    mode: &'static str,
    /// Whether the holder is known to hold the old advisory key beside the lease.
    bridged: bool,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct EventObject {
    at: Option<String>,
    name: String,
    token: String,
    /// `granted`, `released`, `expired`, `broken` or `mode`
    event: String,
    holder: Option<String>,
    /// Why, or the command.
    reason: Option<String>,
}

/// # Errors
/// What the writer says.
pub fn term(held: Option<(&Term, Left)>, out: &mut impl Write) -> io::Result<()> {
    let lease = held.map(|(term, left)| TermObject {
        name: term.name.to_string(),
        holder: term.holder.to_string(),
        token: term.token.to_string(),
        expires_at: timestamp(left.expires_at),
        remaining_seconds: seconds(left.remaining),
    });
    write(
        &Document::Term {
            schema_version: SCHEMA_VERSION,
            lease,
        },
        out,
    )
}

/// # Errors
/// What the writer says.
pub fn listed(leases: &[Listed], out: &mut impl Write) -> io::Result<()> {
    let leases = leases.iter().map(listed_object).collect();
    write(
        &Document::Listed {
            schema_version: SCHEMA_VERSION,
            leases,
        },
        out,
    )
}

/// # Errors
/// What the writer says.
pub fn history(events: &[Event], out: &mut impl Write) -> io::Result<()> {
    let events = events.iter().map(event_object).collect();
    write(
        &Document::History {
            schema_version: SCHEMA_VERSION,
            events,
        },
        out,
    )
}

fn listed_object(lease: &Listed) -> ListedObject {
    let Listed {
        name,
        token,
        mode,
        bridged,
        tenure,
    } = lease;
    let tenure = tenure.as_ref();
    ListedObject {
        name: name.to_string(),
        state: tenure.map_or("free", state),
        holder: tenure.map(|tenure| tenure.holder.to_string()),
        token: token.to_string(),
        taken_at: tenure
            .and_then(|tenure| tenure.taken_at)
            .and_then(timestamp),
        held_seconds: tenure.and_then(|tenure| tenure.held).map(seconds),
        ttl_seconds: tenure.and_then(|tenure| tenure.ttl).map(seconds),
        expires_at: tenure.and_then(|tenure| timestamp(tenure.expires_at)),
        remaining_seconds: tenure.map(|tenure| match tenure.standing {
            Standing::Valid { remaining } => seconds(remaining),
            Standing::Expired { .. } => 0.0,
        }),
        mode: mode.as_str(),
        bridged: *bridged,
    }
}

fn state(tenure: &Tenure) -> &'static str {
    match tenure.standing {
        Standing::Expired { .. } => "expired",
        Standing::Valid { .. } if tenure.is_overdue() => "overdue",
        Standing::Valid { .. } => "held",
    }
}

fn event_object(event: &Event) -> EventObject {
    let Event {
        at,
        name,
        token,
        event,
        holder,
        reason,
    } = event;
    EventObject {
        at: timestamp(*at),
        name: name.to_string(),
        token: token.to_string(),
        event: event.clone(),
        holder: holder.as_ref().map(ToString::to_string),
        reason: reason.clone(),
    }
}

fn write(document: &Document, out: &mut impl Write) -> io::Result<()> {
    let mut serializer =
        serde_json::Serializer::with_formatter(&mut *out, layout::Layout::default());
    document.serialize(&mut serializer)?;
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_schema_is_the_one_of_the_structs() {
        crate::render::json::committed::schema_is(
            &schemars::schema_for!(Document),
            "schema/lease.json",
            SCHEMA,
        );
    }
}
