//! The file that a plan is kept in.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::command::input;
use crate::migration_file::Document;

/// It is there, or will be.
pub(super) enum Written {
    There(Document),
    NotYet(PathBuf),
}

impl Written {
    pub(super) fn at(file: &Path) -> Result<Self> {
        match file.metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::NotYet(file.to_owned())),
            // A pipe or a device holds nothing to merge with.
            Ok(found) if !found.is_file() => Ok(Self::NotYet(file.to_owned())),
            _ => read(file).map(Self::There),
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            // An empty file is begun anew.
            Self::There(document) => Some(document.text.as_str()).filter(|text| !text.is_empty()),
            Self::NotYet(_) => None,
        }
    }

    pub(super) fn path(&self) -> &Path {
        match self {
            Self::There(document) => Path::new(&document.name),
            Self::NotYet(file) => file,
        }
    }

    pub(super) fn name(&self) -> String {
        self.path().display().to_string()
    }
}

pub(in crate::command::migrate) fn read(file: &Path) -> Result<Document> {
    let name = file.display().to_string();
    let bytes = input::read(file).with_context(|| format!("could not read {name}"))?;
    let text = String::from_utf8(bytes).with_context(|| format!("{name} is not UTF-8"))?;
    Ok(Document { name, text })
}
