//! Owns samples that are taken when a test says so, and judged together from one file.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use super::command::lockaudit;
use super::database::Database;
use super::scan::{Scan, items};

pub struct Samples<'a> {
    db: &'a Database<'a>,
    folder: TempDir,
    files: Vec<Value>,
}

impl<'a> Samples<'a> {
    pub fn of(db: &'a Database<'a>) -> Self {
        Self {
            db,
            folder: TempDir::new().expect("there is room for a folder"),
            files: Vec::new(),
        }
    }

    /// Takes one, as `lockaudit scan --save` does.
    #[track_caller]
    pub fn take(&mut self) -> &mut Self {
        self.take_with(&[])
    }

    #[track_caller]
    pub fn take_with(&mut self, more: &[&str]) -> &mut Self {
        let file = self.file(&format!("{}.json", self.files.len()));
        let url = self.db.url();
        let outcome = lockaudit(&[&["scan", &url, "--save", &file], more].concat());
        let saved = fs::read(&file).unwrap_or_else(|error| panic!("{error} after {outcome}"));
        let saved = serde_json::from_slice(&saved).expect("a saved snapshot is JSON");
        self.files.push(saved);
        self
    }

    /// The scan of them all, oldest first.
    #[track_caller]
    pub fn judged(&self) -> Scan {
        let samples: Vec<&Value> = self
            .files
            .iter()
            .flat_map(|file| items(&file["samples"]))
            .collect();
        let mut joined = self.files[0].clone();
        joined["samples"] = serde_json::json!(samples);
        let file = self.file("joined.json");
        fs::write(&file, joined.to_string()).expect("the folder is ours");
        Scan::of_file(&file, &["--database", self.db.name()])
    }

    fn file(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }
}
