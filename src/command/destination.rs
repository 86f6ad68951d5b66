//! Where a command connects: as it was typed, resolved as libpq would, with notes on stderr.

use anyhow::Result;

use crate::cli::ConnectionArgs;
use crate::pg::settings::{self, Environment, Resolved};
use crate::terminal;

/// The consoles of `--pgbouncer`, in the order in which they were given.
pub(super) fn resolve_consoles(texts: &[String]) -> Result<Vec<Resolved>> {
    let environment = Environment::of_this_process();
    let mut consoles = Vec::new();
    for text in texts {
        let resolved = settings::resolve_console(text, &environment)?;
        for note in &resolved.notes {
            terminal::note(note);
        }
        consoles.push(resolved);
    }
    Ok(consoles)
}

pub(super) fn resolve(args: &ConnectionArgs) -> Result<Resolved> {
    let resolved = settings::resolve(&args.request(), &Environment::of_this_process())?;
    for note in &resolved.notes {
        terminal::note(note);
    }
    Ok(resolved)
}
