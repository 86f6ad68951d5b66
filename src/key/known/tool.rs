//! One entry of the registry: a tool that takes advisory locks, and where that is known from.

use serde::Deserialize;

use super::form::{Form, Written};

/// A tool, or one of its uses of advisory locks.
#[derive(Debug)]
pub struct Tool {
    /// Kebab-case, fixed: `keys list`, `[[expect]]` tables and JSON use it.
    pub id: String,
    pub name: String,
    /// `migration tool`, `job queue`, `extension`, …
    pub kind: String,
    /// What the lock is for.
    pub purpose: String,
    /// In words: `session`, `transaction`, or when it is which.
    pub scope: String,
    /// What an operator should know, in a sentence.
    pub advice: String,
    /// Repository or package, and the path in it.
    pub source: String,
    pub evidence: Evidence,
    pub forms: Vec<Form>,
}

/// How an entry is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// Read in the project's own source.
    Source,
    /// Seen on a real server, and read in the published package.
    Server,
    /// Read in the published package.
    Package,
}

impl Evidence {
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Source => "read in the project's source",
            Self::Server => "seen on a real server, and read in the published package",
            Self::Package => "read in the published package",
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenTool {
    id: String,
    name: String,
    kind: String,
    purpose: String,
    scope: String,
    advice: Option<String>,
    source: String,
    evidence: Evidence,
    forms: Vec<Written>,
}

impl WrittenTool {
    pub(super) fn read(self) -> anyhow::Result<Tool> {
        let forms = self.forms.into_iter().map(Written::read);
        Ok(Tool {
            advice: self
                .advice
                .unwrap_or_else(|| usual_advice(&self.scope).to_owned()),
            forms: forms.collect::<Result<_, _>>()?,
            id: self.id,
            name: self.name,
            kind: self.kind,
            purpose: self.purpose,
            scope: self.scope,
            source: self.source,
            evidence: self.evidence,
        })
    }
}

fn usual_advice(scope: &str) -> &'static str {
    if scope.starts_with("session") {
        "it needs a direct or session-pooled connection: behind a transaction pooler its unlock can \
         reach another session than the one that holds it"
    } else {
        "it ends with its transaction: keep that short"
    }
}
