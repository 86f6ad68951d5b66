//! `lockaudit migrate plan` on real servers: what it decides of each key, what it writes down, and what
//! it leaves as a person wrote it.

mod deciding;
mod file;
mod leases_of_others;
mod looking;

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{Database, Outcome, items, lockaudit};

static SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    let schema = include_str!("../../../schema/migrate.json");
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    jsonschema::validator_for(&schema).expect("the schema is one")
});

/// The plan of this database as JSON, which must be as the schema promises.
struct Planned {
    document: Value,
    outcome: Outcome,
}

impl Planned {
    #[track_caller]
    fn of(db: &Database<'_>, more: &[&str]) -> Self {
        let only = ["--database", db.name()];
        Self::by(&[&[&db.url() as &str][..], &only[..], more].concat())
    }

    #[track_caller]
    fn by(arguments: &[&str]) -> Self {
        let words = [&["migrate", "plan", "--format", "json"], arguments].concat();
        let outcome = lockaudit(&words);
        let document = outcome.json();
        let mistakes: Vec<String> = SCHEMA
            .iter_errors(&document)
            .map(|mistake| format!("{mistake} at {}", mistake.instance_path()))
            .collect();
        assert!(mistakes.is_empty(), "against the schema: {mistakes:#?}");
        Self { document, outcome }
    }

    #[track_caller]
    fn exits_with(self, code: i32) -> Self {
        let outcome = self.outcome.exits_with(code);
        Self { outcome, ..self }
    }

    fn keys(&self) -> Vec<Key> {
        items(&self.document["keys"]).cloned().map(Key).collect()
    }

    /// The one entry of this bigint, or of this pair.
    #[track_caller]
    fn key(&self, spelled: &str) -> Key {
        let all = self.keys();
        let its: Vec<&Key> = all.iter().filter(|key| key.spelled() == spelled).collect();
        let [only] = its[..] else {
            panic!("{} entries of key {spelled} in {}", its.len(), self.outcome);
        };
        Key(only.0.clone())
    }
}

struct Key(Value);

impl Key {
    fn spelled(&self) -> String {
        let key = &self.0["key"];
        match key["form"].as_str() {
            Some("int4x2") => format!("{},{}", key["key1"], key["key2"]),
            _ => key["key"].as_str().unwrap_or_default().to_owned(),
        }
    }

    #[track_caller]
    fn is(&self, decision: &str, certainty: &str) -> &Self {
        let found = (&self.0["decision"], &self.0["certainty"]);
        assert_eq!(found, (&decision.into(), &certainty.into()), "{:#}", self.0);
        self
    }

    #[track_caller]
    fn tells(&self, part: &str) -> &Self {
        let judged = &self.0["judged"];
        let said = items(&judged["reasons"]).chain(items(&judged["remarks"]));
        let mut texts = said.filter_map(|one| one["text"].as_str());
        assert!(
            texts.any(|text| text.contains(part)),
            "no {part:?} in {:#}",
            self.0
        );
        self
    }

    #[track_caller]
    fn saw(&self, what: &str, value: Value) -> &Self {
        assert_eq!(self.0["seen"][what], value, "{what} of {:#}", self.0);
        self
    }

    fn name(&self) -> &str {
        self.0["name"].as_str().expect("every key has a name")
    }
}

/// A folder for the files of one test.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().expect("there is room for a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.path(name), text).expect("the folder is ours");
        self.file(name)
    }

    #[track_caller]
    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("it was written")
    }
}
