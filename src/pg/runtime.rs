//! What drives sessions: one thread. When it is dropped, so is what still runs.

use anyhow::{Context, Result};
use tokio::runtime::{Builder, Runtime};

/// # Errors
/// When the operating system gives no means to wait for sockets.
pub fn runtime() -> Result<Runtime> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .context("could not start the input/output runtime")
}
