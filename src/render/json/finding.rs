//! A finding as JSON.

use serde::{Serialize, Serializer};

use super::lock::{KeyObject, key};
use crate::finding::{Advice, Finding};
use crate::key::Sharing;
use crate::picture::LockId;
use crate::snapshot::Snapshot;

/// A list of [`FindingObject`], each made as it is written: a thousand idle sessions are a thousand
/// findings.
pub(super) struct Findings<'a> {
    pub findings: &'a [Finding],
    pub snapshot: Option<&'a Snapshot>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct FindingObject<'a> {
    rule: &'static str,
    /// `info`, `warning` or `critical`
    severity: &'static str,
    /// `certain`, `likely` or `possible`
    certainty: &'static str,
    /// Sessions that can't go on because of it.
    harms: usize,
    title: &'a str,
    evidence: &'a [String],
    pids: &'a [i32],
    keys: Vec<FindingKeyObject<'a>>,
    advice: Vec<AdviceObject<'a>>,
}

/// Which lock it is. `form` is `bigint`, `int4x2` or, for a lock that no SQL function can take,
/// `extension`; the fields of the other forms are null.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FindingKeyObject<'a> {
    datname: Option<&'a str>,
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
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct AdviceObject<'a> {
    text: &'a str,
    /// A statement to run as it stands.
    sql: Option<&'a str>,
}

impl Serialize for Findings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let findings = self.findings.iter();
        serializer.collect_seq(findings.map(|one| finding(one, self.snapshot)))
    }
}

fn finding<'a>(finding: &'a Finding, snapshot: Option<&'a Snapshot>) -> FindingObject<'a> {
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
        title,
        evidence,
        pids,
        keys: keys.iter().map(|id| finding_key(*id, snapshot)).collect(),
        advice: advice.iter().map(advice_object).collect(),
    }
}

// A list of fields once more, since `serde(flatten)` writes them as a map, which took a quarter of
// the time of a large document (callgrind).
fn finding_key(id: LockId, snapshot: Option<&Snapshot>) -> FindingKeyObject<'_> {
    let KeyObject {
        form,
        key,
        key1,
        key2,
        classid,
        objid,
        objsubid,
        unlock,
    } = key(id.tag, Some(Sharing::Exclusive));
    FindingKeyObject {
        datname: snapshot.and_then(|snapshot| snapshot.database_name(id.database)),
        form,
        key,
        key1,
        key2,
        classid,
        objid,
        objsubid,
        unlock,
    }
}

fn advice_object(advice: &Advice) -> AdviceObject<'_> {
    let Advice { text, sql } = advice;
    AdviceObject {
        text,
        sql: sql.as_deref(),
    }
}
