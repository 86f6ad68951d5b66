//! What `lockaudit budget check` says, as JSON: a document of its own, versioned by itself.

use std::io::{self, Write};

use serde::Serialize;

use crate::budget::demand::{Part, PartSource};
use crate::budget::live::Group;
use crate::budget::starvation::{Pressure, Verdict};
use crate::budget::{Assessment, Finding, Note};
use crate::render::budget::Shown;

/// The `schema_version` of every document.
pub const SCHEMA_VERSION: u32 = 1;

/// The JSON Schema of the documents, as committed.
pub const SCHEMA: &str = include_str!("../../../schema/budget.json");

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Document<'a> {
    schema_version: u32,
    /// The plan's file; null for a plan from the command line.
    file: Option<&'a str>,
    /// In a sentence.
    verdict: String,
    /// The worst level found: `error`, `warning` or null.
    level: Option<&'static str>,
    server: ServerObject,
    /// Connections without a deploy.
    steady: u64,
    /// During a deploy, if what shuts down closed its connections at once.
    live: u64,
    /// During a deploy.
    peak: u64,
    /// Slots for ordinary roles.
    usable: u64,
    /// Slots left at the peak; negative when there are too few.
    free: i64,
    /// Roles, poolers and external consumers.
    roles: Vec<PartObject<'a>>,
    pools: Vec<PoolObject<'a>>,
    /// Who is connected; null when no server was asked.
    connected: Option<Vec<GroupObject<'a>>>,
    checks: &'a [String],
    findings: Vec<FindingObject<'a>>,
    notes: Vec<NoteObject<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ServerObject {
    max_connections: u64,
    superuser_reserved_connections: u64,
    reserved_connections: u64,
    provider_reserved: u64,
    /// The major version.
    postgres: u32,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PartObject<'a> {
    name: &'a str,
    /// `role`, `pgbouncer` or `external`
    kind: &'static str,
    /// Instances without a deploy and at its peak; null for an external consumer.
    instances: Option<u64>,
    instances_at_peak: Option<u64>,
    /// Connections of one instance.
    each: u64,
    steady: u64,
    live: u64,
    peak: u64,
    /// The pooler in between, whose connections count instead.
    via: Option<&'a str>,
    line: Option<usize>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PoolObject<'a> {
    role: &'a str,
    pool: u64,
    /// Connections that locks may keep at once.
    pinned: u64,
    left: u64,
    smallest_pool: u64,
    /// `safe`, `deadlock` or `pinned`
    verdict: &'static str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GroupObject<'a> {
    /// The plan's name; null for sessions that the plan does not know.
    name: Option<&'a str>,
    user: Option<&'a str>,
    application_name: Option<&'a str>,
    now: u64,
    steady: Option<u64>,
    peak: Option<u64>,
    standing: &'static str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FindingObject<'a> {
    /// `B100`
    code: &'static str,
    /// `error` or `warning`
    level: &'static str,
    /// The check that failed.
    check: &'a str,
    message: &'a str,
    details: &'a [String],
    file: Option<&'a str>,
    line: Option<usize>,
    column: Option<usize>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NoteObject<'a> {
    text: &'a str,
    line: Option<usize>,
}

/// # Errors
/// What the writer says.
pub fn write(shown: &Shown<'_>, out: &mut impl Write) -> io::Result<()> {
    super::pretty(&document(shown), out)
}

fn document<'a>(shown: &Shown<'a>) -> Document<'a> {
    let Assessment {
        server,
        total,
        parts,
        pools,
        connected,
        findings,
        notes,
        checks,
    } = shown.assessment;
    Document {
        schema_version: SCHEMA_VERSION,
        file: shown.file,
        verdict: crate::budget::said::verdict(shown.assessment),
        level: shown.assessment.worst().map(crate::budget::Level::as_str),
        server: ServerObject {
            max_connections: server.max_connections,
            superuser_reserved_connections: server.superuser_reserved,
            reserved_connections: server.reserved,
            provider_reserved: server.provider_reserved,
            postgres: server.major,
        },
        steady: total.steady,
        live: total.live,
        peak: total.peak,
        usable: server.usable(),
        free: i64::try_from(shown.assessment.free()).unwrap_or(i64::MIN),
        roles: parts.iter().map(part).collect(),
        pools: pools
            .iter()
            .map(|(role, pool)| pressure(role, pool))
            .collect(),
        connected: connected
            .as_ref()
            .map(|groups| groups.iter().map(group).collect()),
        checks,
        findings: findings
            .iter()
            .map(|one| finding(shown.file, one))
            .collect(),
        notes: notes.iter().map(note).collect(),
    }
}

fn part(part: &Part) -> PartObject<'_> {
    let Part {
        source,
        name,
        instances,
        each,
        how: _,
        connections,
        via,
        place,
    } = part;
    PartObject {
        name,
        kind: match source {
            PartSource::Role => "role",
            PartSource::Pooler => "pgbouncer",
            PartSource::External => "external",
        },
        instances: instances.map(|instances| instances.desired),
        instances_at_peak: instances.map(|instances| instances.peak),
        each: *each,
        steady: connections.steady,
        live: connections.live,
        peak: connections.peak,
        via: via.as_deref(),
        line: place.map(|place| place.line),
    }
}

fn pressure<'a>(role: &'a str, pressure: &Pressure) -> PoolObject<'a> {
    let Pressure {
        pool,
        pinned,
        smallest_pool,
        verdict,
    } = *pressure;
    PoolObject {
        role,
        pool,
        pinned,
        left: pressure.left(),
        smallest_pool,
        verdict: match verdict {
            Verdict::Safe => "safe",
            Verdict::DeadlockReachable => "deadlock",
            Verdict::AllPinned => "pinned",
        },
    }
}

fn group(group: &Group) -> GroupObject<'_> {
    let Group {
        name,
        user,
        application_name,
        now,
        planned,
    } = group;
    GroupObject {
        name: name.as_deref(),
        user: user.as_deref(),
        application_name: application_name.as_deref(),
        now: *now,
        steady: planned.map(|planned| planned.steady),
        peak: planned.map(|planned| planned.peak),
        standing: group.standing().as_str(),
    }
}

fn finding<'a>(file: Option<&'a str>, finding: &'a Finding) -> FindingObject<'a> {
    let Finding {
        code,
        check,
        place,
        message,
        details,
    } = finding;
    FindingObject {
        code: code.as_str(),
        level: finding.level().as_str(),
        check,
        message,
        details,
        file: file.filter(|_| place.is_some()),
        line: place.map(|place| place.line),
        column: place.map(|place| place.column),
    }
}

fn note(note: &Note) -> NoteObject<'_> {
    let Note { place, text } = note;
    NoteObject {
        text,
        line: place.map(|place| place.line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_schema_is_the_one_of_the_structs() {
        crate::render::json::committed::schema_is(
            &schemars::schema_for!(Document<'_>),
            "schema/budget.json",
            SCHEMA,
        );
    }
}
