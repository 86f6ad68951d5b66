//! Where a command connects: as it was typed, resolved as libpq would, with notes on stderr.

use anyhow::Result;

use crate::cli::ConnectionArgs;
use crate::pg::settings::{self, Environment, Resolved};
use crate::terminal;

pub(super) fn resolve(args: &ConnectionArgs) -> Result<Resolved> {
    let resolved = settings::resolve(&args.request(), &Environment::of_this_process())?;
    for note in &resolved.notes {
        terminal::note(note);
    }
    Ok(resolved)
}
