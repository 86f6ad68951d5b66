//! Ctrl-C, for commands that must say or clean up something before they end.

use std::future::Future;

use anyhow::{Context, Result};
use tokio::signal::ctrl_c;

/// What comes of it; nothing if Ctrl-C comes first. What was begun is dropped then.
pub(super) async fn unless_interrupted<T>(
    work: impl Future<Output = Result<T>>,
) -> Result<Option<T>> {
    tokio::select! {
        biased;
        interrupted = ctrl_c() => {
            interrupted.context("could not listen for Ctrl-C")?;
            Ok(None)
        }
        done = work => done.map(Some),
    }
}
