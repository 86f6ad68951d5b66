//! A finding as JSON.

use serde::Serialize;

use super::lock::{KeyObject, key};
use crate::finding::{Advice, Finding};
use crate::key::Sharing;
use crate::snapshot::Snapshot;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct FindingObject {
    rule: &'static str,
    /// `info`, `warning` or `critical`
    severity: &'static str,
    /// `certain`, `likely` or `possible`
    certainty: &'static str,
    /// Sessions that can't go on because of it.
    harms: usize,
    title: String,
    evidence: Vec<String>,
    pids: Vec<i32>,
    keys: Vec<FindingKeyObject>,
    advice: Vec<AdviceObject>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FindingKeyObject {
    datname: Option<String>,
    #[serde(flatten)]
    key: KeyObject,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct AdviceObject {
    text: String,
    /// A statement to run as it stands.
    sql: Option<String>,
}

pub(super) fn finding(finding: &Finding, snapshot: Option<&Snapshot>) -> FindingObject {
    let Finding {
        rule,
        severity,
        certainty,
        harms,
        title,
        evidence,
        pids,
        keys,
        advice,
    } = finding;
    FindingObject {
        rule,
        severity: severity.as_str(),
        certainty: certainty.as_str(),
        harms: *harms,
        title: title.clone(),
        evidence: evidence.clone(),
        pids: pids.clone(),
        keys: keys
            .iter()
            .map(|id| FindingKeyObject {
                datname: snapshot
                    .and_then(|snapshot| snapshot.database_name(id.database))
                    .map(str::to_owned),
                key: key(id.tag, Some(Sharing::Exclusive)),
            })
            .collect(),
        advice: advice.iter().map(advice_object).collect(),
    }
}

fn advice_object(advice: &Advice) -> AdviceObject {
    let Advice { text, sql } = advice.clone();
    AdviceObject { text, sql }
}
