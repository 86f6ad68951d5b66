//! Who takes a lease from this process: a holder that no other call has.

use anyhow::{Context, Result};

use crate::lease::Holder;

/// # Errors
/// When the operating system gives no chance.
pub(super) fn new_holder() -> Result<Holder> {
    let chance = getrandom::u64().context("could not make a new holder")?;
    let system = rustix::system::uname();
    let host = system.nodename().to_string_lossy();
    Ok(Holder::of(&host, std::process::id(), chance))
}
