//! The user's files of names and expected holders, read from where they are.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::input;
use crate::names_file::{self, Source, Told};

pub(super) fn read<'a>(files: impl Iterator<Item = &'a PathBuf>) -> Result<Told> {
    // One file may stand behind both flags.
    let files: BTreeSet<&PathBuf> = files.collect();
    let sources: Vec<Source> = files
        .into_iter()
        .map(|file| source(file))
        .collect::<Result<_>>()?;
    names_file::read(&sources)
}

fn source(file: &Path) -> Result<Source> {
    let name = file.display().to_string();
    let bytes = input::read(file).with_context(|| format!("could not read {name}"))?;
    let text = String::from_utf8(bytes).with_context(|| format!("{name} is not UTF-8"))?;
    Ok(Source { name, text })
}
