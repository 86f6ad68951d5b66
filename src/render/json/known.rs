//! Who may have taken a lock, as JSON.

use serde::Serialize;

use crate::key::naming::{Candidate, Origin};

/// One explanation of a key; the surest comes first.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::render) struct KnownObject {
    /// What the tool is called; for an application's own lock, its name.
    tool: String,
    /// The registry's id (`lockaudit keys list`); null for an application's own lock.
    id: Option<String>,
    /// `names` (the user's file), `registry` or `usual_hash` (a likely name under a usual hash)
    origin: &'static str,
    purpose: String,
    /// `certain`, `likely` or `possible`
    certainty: &'static str,
    /// Why.
    basis: String,
    /// The scope that the tool uses, in words.
    scope: Option<String>,
    advice: Option<String>,
    /// Where it is known from: a repository and a path, a package, a place in the user's file.
    source: Option<String>,
}

pub(super) fn known(candidates: &[Candidate]) -> Vec<KnownObject> {
    candidates.iter().map(object).collect()
}

fn object(candidate: &Candidate) -> KnownObject {
    let Candidate {
        origin,
        id,
        tool,
        purpose,
        certainty,
        basis,
        scope,
        advice,
        source,
        ..
    } = candidate.clone();
    KnownObject {
        id: (origin == Origin::Registry).then_some(id),
        tool: tool.trim_matches('`').to_owned(),
        origin: origin.as_str(),
        purpose,
        certainty: certainty.as_str(),
        basis,
        scope,
        advice,
        source: Some(source).filter(|source| !source.is_empty()),
    }
}
