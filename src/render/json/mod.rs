//! JSON for programs, versioned: catalog names unchanged, times RFC 3339 UTC by the server's clock,
//! durations as numbers of seconds, 64-bit keys as strings, unknown as `null` and never left out.
//!
//! The structs belong to the format. A change that breaks readers raises [`SCHEMA_VERSION`].

pub mod budget;
#[cfg(test)]
mod committed;
mod cutover;
mod escape;
mod fence;
mod finding;
pub mod keys;
mod known;
mod layout;
pub mod lease;
mod lines;
mod listed;
pub(super) mod lock;
pub mod migrate;
mod pool;
mod pooler;
mod server;
mod session;
mod value;
pub(super) mod wait;

use std::io::{self, Write};

pub use lines::write as write_lines;

use serde::Serialize;

use crate::report::{Figures, Outcome, Report, Summary};
use crate::snapshot::{BlindSpot, Source};
use listed::Listed;
use value::{seconds, timestamp};

/// The `schema_version` of every document.
pub const SCHEMA_VERSION: u32 = 1;

/// The JSON Schema of [`write`]'s documents, as committed.
pub const SCHEMA: &str = include_str!("../../../schema/scan.json");

/// One scan's result.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Document<'a> {
    schema_version: u32,
    /// By the server's clock; by this machine's when the server let us see nothing.
    captured_at: Option<String>,
    source: SourceObject,
    server: Option<server::ServerObject>,
    visibility: Option<server::VisibilityObject>,
    blind_spots: Vec<BlindSpotObject>,
    summary: SummaryObject,
    findings: Listed<'a, finding::FindingObject>,
    /// Advisory locks, held and waited for.
    locks: Option<Listed<'a, lock::LockObject>>,
    sessions: Option<Vec<session::SessionObject>>,
    /// Waits of every lock type, where an advisory lock is part of the tangle.
    waits: Option<Vec<wait::WaitObject>>,
    pools: Option<Vec<pool::PoolObject>>,
    /// What the consoles of --pgbouncer said; empty when none was asked.
    poolers: Vec<pooler::PoolerObject>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SourceObject {
    /// The host that answered, or those that were tried.
    host: String,
    dbname: String,
    user: String,
    /// The snapshot file that was read; null when the server was asked.
    file: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct BlindSpotObject {
    code: &'static str,
    text: String,
    remedy: Option<String>,
    /// Whether it can hide the state of a holder or a waiter, or who is behind one.
    weakens_the_verdict: bool,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SummaryObject {
    verdict: String,
    severity: Option<&'static str>,
    locks: Option<usize>,
    holders: Option<usize>,
    idle_holders: Option<usize>,
    idle_in_transaction_holders: Option<usize>,
    prepared_holders: Option<usize>,
    waiters: Option<usize>,
    longest_wait_seconds: Option<f64>,
    starved_pools: Option<usize>,
    suspected_pools: Option<usize>,
}

/// Writes one document and a line break.
///
/// # Errors
/// What the writer says.
pub fn write(report: &Report<'_>, out: &mut impl Write) -> io::Result<()> {
    // A document is millions of small pieces, and `out` may be behind a pointer.
    let mut pieces = io::BufWriter::with_capacity(64 * 1024, out);
    let mut serializer =
        serde_json::Serializer::with_formatter(&mut pieces, layout::Layout::default());
    document(report).serialize(&mut serializer)?;
    writeln!(pieces)?;
    pieces.flush()
}

/// One document in one line.
pub(in crate::render) fn line(document: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(&mut *out, escape::Compact);
    document.serialize(&mut serializer)?;
    writeln!(out)
}

/// One document, indented, and a line break.
pub(in crate::render) fn pretty(document: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    let mut serializer =
        serde_json::Serializer::with_formatter(&mut *out, layout::Layout::default());
    document.serialize(&mut serializer)?;
    writeln!(out)
}

fn document<'a>(report: &'a Report<'_>) -> Document<'a> {
    let Report {
        source,
        outcome,
        findings,
        summary,
    } = report;
    let picture = match outcome {
        Outcome::Seen(picture) => Some(picture),
        Outcome::Refused { .. } => None,
    };
    let captured_at = match outcome {
        Outcome::Seen(picture) => picture.snapshot.captured_at,
        Outcome::Refused { at, .. } => *at,
    };
    Document {
        schema_version: SCHEMA_VERSION,
        captured_at: timestamp(captured_at),
        source: source_object(source),
        server: picture.map(|picture| server::server(picture.snapshot)),
        visibility: picture.map(|picture| server::visibility(picture.snapshot)),
        blind_spots: report.blind_spots().iter().map(blind_spot).collect(),
        summary: summary_object(summary),
        findings: Listed::of(move || {
            let picture = picture.map(AsRef::as_ref);
            findings
                .iter()
                .map(move |one| finding::finding(one, picture))
        }),
        locks: picture.map(|picture| Listed::of(|| lock::locks(picture))),
        sessions: picture.map(|picture| session::sessions(picture.snapshot)),
        waits: picture.map(|picture| wait::waits(picture)),
        pools: picture.map(|picture| pool::pools(picture)),
        poolers: pooler::poolers(report.poolers()),
    }
}

fn source_object(source: &Source) -> SourceObject {
    let Source {
        host,
        dbname,
        user,
        file,
    } = source.clone();
    SourceObject {
        host,
        dbname,
        user,
        file,
    }
}

fn blind_spot(spot: &BlindSpot) -> BlindSpotObject {
    BlindSpotObject {
        code: spot.code(),
        text: spot.sentence(),
        remedy: spot.remedy().map(str::to_owned),
        weakens_the_verdict: spot.weakens_the_verdict(),
    }
}

fn summary_object(summary: &Summary) -> SummaryObject {
    let Summary {
        verdict,
        severity,
        figures,
    } = summary;
    let figure = |of: fn(&Figures) -> usize| figures.as_ref().map(of);
    SummaryObject {
        verdict: verdict.clone(),
        severity: severity.map(crate::finding::Severity::as_str),
        locks: figure(|figures| figures.locks),
        holders: figure(|figures| figures.holders),
        idle_holders: figure(|figures| figures.idle_holders),
        idle_in_transaction_holders: figure(|figures| figures.idle_in_transaction_holders),
        prepared_holders: figure(|figures| figures.prepared_holders),
        waiters: figure(|figures| figures.waiters),
        longest_wait_seconds: figures
            .as_ref()
            .and_then(|figures| figures.longest_wait)
            .map(seconds),
        starved_pools: figure(|figures| figures.starved_pools),
        suspected_pools: figure(|figures| figures.suspected_pools),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_schema_is_the_one_of_the_structs() {
        super::committed::schema_is(&schemars::schema_for!(Document), "schema/scan.json", SCHEMA);
    }
}
