//! What the lab tells goes to stdout step by step: each step is seen at once.

use std::io::{self, Write};

use anyhow::Result;

use crate::command::output;

pub(super) fn show(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    output::write(None, write)
}
