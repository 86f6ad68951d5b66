//! Owns what must hold for every answer, whatever it is about.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

use super::command::Outcome;

static SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    let schema = include_str!("../../../schema/scan.json");
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    jsonschema::validator_for(&schema).expect("the schema is one")
});

impl Outcome {
    /// Stdout as JSON of the published schema.
    #[track_caller]
    pub fn valid_json(&self) -> Value {
        let document = self.json();
        conforms(&document);
        document
    }

    /// Nothing in it can move a cursor, reorder a line or forge one.
    #[track_caller]
    pub fn tame(self) -> Self {
        for text in [&self.stdout, &self.stderr] {
            let wild = text.chars().find(|&character| is_wild(character));
            assert_eq!(wild, None, "no such character may be in {self:?}");
        }
        self
    }
}

/// Fails with the places where `document` is not what the schema promises.
#[track_caller]
pub fn conforms(document: &Value) {
    let mistakes: Vec<String> = SCHEMA
        .iter_errors(document)
        .take(3)
        .map(|mistake| format!("{mistake} at {}", mistake.instance_path()))
        .collect();
    assert!(mistakes.is_empty(), "against the schema: {mistakes:#?}");
}

/// C0 but line feeds, DEL, C1, and the marks by which Unicode reorders, breaks and hides text.
fn is_wild(character: char) -> bool {
    match character {
        '\n' => false,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{feff}' => true,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' => true,
        _ => false,
    }
}
