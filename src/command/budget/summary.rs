//! The summary of a GitHub step: the verdict as Markdown, added to what other steps wrote.

use std::fs::OpenOptions;
use std::io::Write;

use anyhow::{Context, Result};

use crate::render::budget::{Shown, markdown};
use crate::terminal;

/// Adds it where GitHub asks for one.
pub(super) fn add(shown: &Shown<'_>) -> Result<()> {
    let Some(path) = terminal::step_summary() else {
        return Ok(());
    };
    let mut text = Vec::new();
    markdown::write(shown, &mut text)?;
    let file = OpenOptions::new().append(true).create(true).open(&path);
    file.and_then(|mut file| file.write_all(&text))
        .with_context(|| format!("could not add to GITHUB_STEP_SUMMARY, {}", path.display()))
}
