//! The budget file: read for `budget`, and by `scan` for the sizes of pools.

use std::path::Path;

use anyhow::{Context, Result};

use super::input;
use crate::budget_file::{self, Draft, ServerFrom};

pub(super) fn read(path: &Path, server_from: ServerFrom) -> Result<Draft> {
    let name = path.display().to_string();
    let bytes = input::read(path).with_context(|| format!("could not read {name}"))?;
    let text = String::from_utf8(bytes).with_context(|| format!("{name} is not UTF-8"))?;
    Ok(budget_file::read(&name, &text, server_from)?)
}
