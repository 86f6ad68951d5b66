//! What `lockaudit migrate` says, as JSON: documents of their own, versioned by themselves.

use std::io::{self, Write};

use serde::Serialize;

use super::cutover::{self, StatusObject};
use super::fence::{self, FenceLine};
use super::known::{KnownObject, known};
use super::lock::{KeyObject, key};
use super::value::{seconds, timestamp};
use super::{BlindSpotObject, SourceObject};
use crate::cutover::fence::Said;
use crate::cutover::outlook::Outlook;
use crate::key::Sharing;
use crate::migration::ttl;
use crate::migration::{DecidedBy, Decision, Entry, Plan, Reason, Standing, Upper, Usage};
use crate::snapshot::Source;

/// The `schema_version` of every document.
pub const SCHEMA_VERSION: u32 = 1;

/// The JSON Schema of the documents, as committed.
pub const SCHEMA: &str = include_str!("../../../schema/migrate.json");

/// One of the documents.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
enum Document {
    /// `migrate plan`
    Plan(PlanObject),
    /// `migrate status`
    Status(StatusObject),
    /// A line of `migrate fence`
    Fence(FenceLine),
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PlanObject {
    schema_version: u32,
    /// Servers and files that were looked at.
    sources: Vec<SourceObject>,
    samples: usize,
    /// By the servers' clocks; null where nothing was looked at.
    first_sample_at: Option<String>,
    last_sample_at: Option<String>,
    blind_spots: Vec<BlindSpotObject>,
    /// What no sample can show, to be looked for elsewhere.
    notes: Vec<String>,
    summary: SummaryObject,
    keys: Vec<EntryObject>,
}

/// How many keys there are of each decision.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SummaryObject {
    keys: usize,
    refuse: usize,
    lease: usize,
    skip_locked: usize,
    transaction_lock_is_fine: usize,
    keep: usize,
    /// Writes, when all leases are held at once and each is renewed every 30 seconds.
    renewals_per_second: f64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct EntryObject {
    /// What the lease is to be called; no two keys have one name.
    name: String,
    /// Null for an extension's server-wide lock, and where nobody said.
    datname: Option<String>,
    key: KeyObject,
    known: Vec<KnownObject>,
    /// `refuse`, `lease`, `skip-locked`, `transaction-lock-is-fine` or `keep`
    decision: &'static str,
    /// `certain`, `likely` or `possible`; null where the file says nothing of it.
    certainty: Option<&'static str>,
    reason: String,
    /// `rules` or `person`: whoever changed it in the file.
    decided_by: &'static str,
    /// What was seen says, whatever the file says.
    judged: JudgedObject,
    ttl_seconds: f64,
    /// `new`, `seen` (in the file, and seen again), `not_seen` (in a file only) or `not_looked_for` (of a
    /// database that was not looked at)
    standing: &'static str,
    seen: SeenObject,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct JudgedObject {
    decision: &'static str,
    certainty: &'static str,
    /// The deciding first.
    reasons: Vec<ReasonObject>,
    /// What to know, whatever is decided.
    remarks: Vec<ReasonObject>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ReasonObject {
    text: String,
    certainty: &'static str,
}

/// In this run and those before.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SeenObject {
    /// All in which the same number is used.
    databases: Vec<String>,
    /// Those who held it, by application_name.
    applications: Vec<String>,
    roles: Vec<String>,
    /// Those who asked for it, waiting or not.
    asked_by: Vec<String>,
    /// `exclusive`, `shared`, or the catalog's word for a mode that no SQL function takes
    modes: Vec<String>,
    /// `session`, `transaction` or `unknown`, of the holds
    scopes: Vec<&'static str>,
    /// `session` or `transaction`: the kinds of function that waiting statements call
    calls: Vec<&'static str>,
    /// The longest hold, at least.
    held_at_least_seconds: Option<f64>,
    /// The longest hold, at most; null where nothing bounds it.
    held_at_most_seconds: Option<f64>,
    /// The longest that its transaction did nothing.
    idle_in_transaction_seconds: Option<f64>,
    most_waiters: usize,
    /// Names that one backend has shown while it held: a pooler's sign.
    names_of_one_backend: Vec<String>,
    /// Whether a pooler lent us the backend that holds it.
    lent_to_us: bool,
    /// Of the latest run that saw it.
    seen_in_samples: usize,
    samples: usize,
    last_seen: Option<String>,
}

/// # Errors
/// What the writer says.
pub fn plan(plan: &Plan, sources: &[Source], out: &mut impl Write) -> io::Result<()> {
    super::pretty(&Document::Plan(object(plan, sources)), out)
}

/// # Errors
/// What the writer says.
pub fn fence(said: &Said<'_>, out: &mut impl Write) -> io::Result<()> {
    super::line(&Document::Fence(fence::object(said)), out)
}

/// # Errors
/// What the writer says.
pub fn status(outlook: &Outlook, out: &mut impl Write) -> io::Result<()> {
    super::pretty(&Document::Status(cutover::object(outlook)), out)
}

fn object(plan: &Plan, sources: &[Source]) -> PlanObject {
    let Plan {
        entries,
        samples,
        span,
        blind_spots,
        notes,
    } = plan;
    PlanObject {
        schema_version: SCHEMA_VERSION,
        sources: sources.iter().map(super::source_object).collect(),
        samples: *samples,
        first_sample_at: span.and_then(|(first, _)| timestamp(first)),
        last_sample_at: span.and_then(|(_, last)| timestamp(last)),
        blind_spots: blind_spots.iter().map(super::blind_spot).collect(),
        notes: notes.clone(),
        summary: summary(plan),
        keys: entries.iter().map(entry).collect(),
    }
}

fn summary(plan: &Plan) -> SummaryObject {
    let count = |decision| plan.decided(decision).count();
    SummaryObject {
        keys: plan.entries.len(),
        refuse: count(Decision::Refuse),
        lease: count(Decision::Lease),
        skip_locked: count(Decision::SkipLocked),
        transaction_lock_is_fine: count(Decision::TransactionLockIsFine),
        keep: count(Decision::Keep),
        renewals_per_second: ttl::renewals_per_second(count(Decision::Lease)),
    }
}

fn entry(entry: &Entry) -> EntryObject {
    let judged = &entry.judged;
    EntryObject {
        name: entry.name.clone(),
        datname: entry.subject.database.clone(),
        key: key(entry.subject.tag, Some(Sharing::Exclusive)),
        known: known(&entry.known),
        decision: entry.decision.as_str(),
        certainty: entry.certainty.map(|certainty| certainty.as_str()),
        reason: entry.reason.clone(),
        decided_by: match entry.decided_by {
            DecidedBy::Rules => "rules",
            DecidedBy::Person => "person",
        },
        judged: JudgedObject {
            decision: judged.decision.as_str(),
            certainty: judged.certainty.as_str(),
            reasons: judged.reasons.iter().map(reason).collect(),
            remarks: judged.remarks.iter().map(reason).collect(),
        },
        ttl_seconds: seconds(entry.ttl),
        standing: match entry.standing {
            Standing::New => "new",
            Standing::Seen => "seen",
            Standing::NotSeen => "not_seen",
            Standing::NotLookedFor => "not_looked_for",
        },
        seen: seen(&entry.usage, &entry.databases),
    }
}

fn reason(reason: &Reason) -> ReasonObject {
    ReasonObject {
        text: reason.text.clone(),
        certainty: reason.certainty.as_str(),
    }
}

fn seen(usage: &Usage, databases: &[String]) -> SeenObject {
    let Usage {
        applications,
        roles,
        asked_by,
        modes,
        scopes,
        calls,
        held_at_least,
        held_at_most,
        idle_in_transaction,
        most_waiters,
        names_of_one_backend,
        lent_to_us,
        seen_in,
        samples,
        last_seen,
    } = usage.clone();
    let most = match held_at_most {
        Some(Upper::Of(most)) => Some(most),
        Some(Upper::Unknown) | None => None,
    };
    SeenObject {
        databases: databases.to_vec(),
        applications: applications.into_iter().collect(),
        roles: roles.into_iter().collect(),
        asked_by: asked_by.into_iter().collect(),
        modes: modes.iter().map(|mode| mode.as_str().to_owned()).collect(),
        scopes: scopes.into_iter().map(|scope| scope.as_str()).collect(),
        calls: calls.into_iter().map(|call| call.as_str()).collect(),
        held_at_least_seconds: held_at_least.map(seconds),
        held_at_most_seconds: most.map(seconds),
        idle_in_transaction_seconds: idle_in_transaction.map(seconds),
        most_waiters,
        names_of_one_backend: names_of_one_backend.into_iter().collect(),
        lent_to_us,
        seen_in_samples: seen_in,
        samples,
        last_seen: last_seen.and_then(timestamp),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_schema_is_the_one_of_the_structs() {
        crate::render::json::committed::schema_is(
            &schemars::schema_for!(Document),
            "schema/migrate.json",
            SCHEMA,
        );
    }
}
