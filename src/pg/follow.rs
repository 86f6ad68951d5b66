//! Samples of one server for a while, each handed over as it comes and none kept.

use std::time::Duration;

use anyhow::Result;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use super::connect::connect;
use super::observe::{source, take_one, with_places};
use super::sample::Sampling;
use super::settings::Resolved;
use crate::snapshot::{Snapshot, Source};

/// What a clock can count without a doubt.
const LONGEST: Duration = Duration::from_secs(366 * 86_400);

const SHORTEST: Duration = Duration::from_millis(1);

/// For how long, and how often.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Nothing: one sample.
    pub length: Duration,
    pub every: Duration,
}

/// How it ended.
#[derive(Debug)]
pub enum Followed {
    ToTheEnd,
    /// Before its time, after a sample or more.
    Broken(anyhow::Error),
}

/// Takes samples over one connection, each in a transaction of its own, and hands each to `look`.
///
/// # Errors
/// When no connection came about, or not even one sample; and what `look` says.
pub async fn follow(
    resolved: &Resolved,
    sampling: &Sampling,
    pace: Pace,
    mut look: impl FnMut(&Source, Snapshot) -> Result<()>,
) -> Result<Followed> {
    let connected = connect(&resolved.target).await;
    let connection =
        connected.map_err(|failure| with_places(failure, &resolved.password_sources_tried))?;
    connection.refuse_admin_console()?;
    let source = source(&resolved.target, connection.endpoint.to_string());
    let mut ticks = interval(pace.every.clamp(SHORTEST, LONGEST));
    let end = Instant::now() + pace.length.min(LONGEST);
    // After a slow answer the rhythm begins anew: never two samples at once.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks.tick().await;
    look(&source, take_one(&connection, sampling).await?)?;
    let mut followed = Followed::ToTheEnd;
    loop {
        tokio::select! {
            biased;
            _ = ticks.tick(), if pace.length > Duration::ZERO => match take_one(&connection, sampling).await {
                Ok(snapshot) => look(&source, snapshot)?,
                Err(error) => {
                    followed = Followed::Broken(error);
                    break;
                }
            },
            () = sleep_until(end) => break,
        }
    }
    connection.close().await;
    Ok(followed)
}
