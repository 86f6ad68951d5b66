//! What `lockaudit keys` says, as JSON: documents of their own, versioned by themselves.

use std::io::{self, Write};

use serde::Serialize;

use super::known::{KnownObject, known};
use super::layout;
use super::lock::{KeyObject, key};
use crate::key::derived::{Derived, Question};
use crate::key::known::{Form, Tool};
use crate::key::spelled::Explained;
use crate::key::{AdvisoryKey, Sharing};

/// The `schema_version` of every document.
pub const SCHEMA_VERSION: u32 = 1;

/// The JSON Schema of the documents, as committed.
pub const SCHEMA: &str = include_str!("../../../schema/keys.json");

/// One of the three documents.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
enum Document {
    /// `keys explain`
    Explained {
        schema_version: u32,
        keys: Vec<ExplainedObject>,
    },
    /// `keys derive`
    Derived {
        schema_version: u32,
        name: String,
        database: Option<String>,
        /// Under the schemes that any application may use.
        schemes: Vec<DerivedObject>,
        /// What known tools make of the name and of the database's name.
        tools: Vec<DerivedObject>,
    },
    /// `keys list`
    Listed {
        schema_version: u32,
        tools: Vec<ToolObject>,
    },
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ExplainedObject {
    /// The database's oid, where a log line said it.
    database: Option<u32>,
    #[serde(flatten)]
    key: KeyObject,
    /// Both halves as one number of 64 bits.
    hexadecimal: String,
    known: Vec<KnownObject>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DerivedObject {
    /// The scheme's name, or the tool's.
    by: String,
    formula: String,
    #[serde(flatten)]
    key: KeyObject,
    /// Arguments for a lock function that the server computes to the same key.
    sql: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ToolObject {
    id: String,
    tool: String,
    kind: String,
    purpose: String,
    scope: String,
    advice: String,
    /// A repository and a path in it, or a package.
    source: String,
    evidence: &'static str,
    forms: Vec<FormObject>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FormObject {
    /// The key in words.
    key: String,
    /// What this form is for, where the tool has several uses.
    purpose: Option<String>,
    /// How sure a match would be: `certain`, `likely` or `possible`
    certainty: &'static str,
}

/// # Errors
/// What the writer says.
pub fn explained(keys: &[Explained], out: &mut impl Write) -> io::Result<()> {
    let document = Document::Explained {
        schema_version: SCHEMA_VERSION,
        keys: keys.iter().map(explained_object).collect(),
    };
    write(&document, out)
}

/// # Errors
/// What the writer says.
pub fn derived(
    question: &Question,
    (schemes, tools): (&[Derived], &[Derived]),
    out: &mut impl Write,
) -> io::Result<()> {
    let document = Document::Derived {
        schema_version: SCHEMA_VERSION,
        name: question.name.clone(),
        database: question.database.clone(),
        schemes: schemes.iter().map(derived_object).collect(),
        tools: tools.iter().map(derived_object).collect(),
    };
    write(&document, out)
}

/// # Errors
/// What the writer says.
pub fn listed(tools: &[&Tool], out: &mut impl Write) -> io::Result<()> {
    let document = Document::Listed {
        schema_version: SCHEMA_VERSION,
        tools: tools.iter().map(|tool| tool_object(tool)).collect(),
    };
    write(&document, out)
}

fn write(document: &Document, out: &mut impl Write) -> io::Result<()> {
    let mut serializer =
        serde_json::Serializer::with_formatter(&mut *out, layout::Layout::default());
    document.serialize(&mut serializer)?;
    writeln!(out)
}

fn explained_object(explained: &Explained) -> ExplainedObject {
    let tag = explained.asked.tag;
    ExplainedObject {
        database: explained.asked.database,
        key: key(tag, Some(Sharing::Exclusive)),
        hexadecimal: format!("{:#018x}", tag.number()),
        known: known(&explained.known),
    }
}

fn derived_object(derived: &Derived) -> DerivedObject {
    let Derived {
        by,
        formula,
        key: derived_key,
        sql,
    } = derived.clone();
    DerivedObject {
        by,
        formula,
        key: key(AdvisoryKey::tag(derived_key), Some(Sharing::Exclusive)),
        sql,
    }
}

fn tool_object(tool: &Tool) -> ToolObject {
    let Tool {
        id,
        name,
        kind,
        purpose,
        scope,
        advice,
        source,
        evidence,
        forms,
    } = tool;
    ToolObject {
        id: id.clone(),
        tool: name.clone(),
        kind: kind.clone(),
        purpose: purpose.clone(),
        scope: scope.clone(),
        advice: advice.clone(),
        source: source.clone(),
        evidence: evidence.sentence(),
        forms: forms.iter().map(form_object).collect(),
    }
}

fn form_object(form: &Form) -> FormObject {
    FormObject {
        key: form.sentence(),
        purpose: form.what.clone(),
        certainty: form.sure.as_str(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_schema_is_the_one_of_the_structs() {
        crate::render::json::committed::schema_is(
            &schemars::schema_for!(Document),
            "schema/keys.json",
            SCHEMA,
        );
    }
}
