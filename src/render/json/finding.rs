//! A finding as JSON.

use serde::Serialize;

use super::known::{KnownObject, known};
use super::lock::{KeyObject, key};
use crate::finding::{Advice, Finding};
use crate::picture::{LockId, Picture};

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

/// Which lock it is. `form` is `bigint`, `int4x2` or, for a lock that no SQL function can take,
/// `extension`; the fields of the other forms are null.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FindingKeyObject {
    datname: Option<String>,
    form: &'static str,
    /// 64 bits, as a string: JavaScript's numbers end at 53.
    key: Option<String>,
    key1: Option<i32>,
    key2: Option<i32>,
    classid: u32,
    objid: u32,
    objsubid: i16,
    /// What the holding session itself would call, once for each time that it locked.
    unlock: Option<String>,
    /// Who may have taken it, the surest first.
    known: Vec<KnownObject>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct AdviceObject {
    text: String,
    /// A statement to run as it stands.
    sql: Option<String>,
}

pub(super) fn finding(finding: &Finding, picture: Option<&Picture<'_>>) -> FindingObject {
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
        keys: keys.iter().map(|id| finding_key(*id, picture)).collect(),
        advice: advice.iter().map(advice_object).collect(),
    }
}

// The fields once more, since `serde(flatten)` writes them as a map, which took a quarter of the
// time of a large document (callgrind).
fn finding_key(id: LockId, picture: Option<&Picture<'_>>) -> FindingKeyObject {
    let KeyObject {
        form,
        key,
        key1,
        key2,
        classid,
        objid,
        objsubid,
        unlock,
    } = key(id.tag, picture.and_then(|picture| picture.sharing(id)));
    FindingKeyObject {
        datname: picture
            .and_then(|picture| picture.snapshot.database_name(id.database))
            .map(str::to_owned),
        form,
        key,
        key1,
        key2,
        classid,
        objid,
        objsubid,
        unlock,
        known: known(picture.map_or(&[], |picture| picture.known(id))),
    }
}

fn advice_object(advice: &Advice) -> AdviceObject {
    let Advice { text, sql } = advice.clone();
    AdviceObject { text, sql }
}
