//! Code from before the migration: a session-level lock, asked for without waiting.

use std::future::Future;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::time::sleep;

use super::pod::Place;
use crate::cutover::double_work::Code;
use crate::pg::connect::{Connection, connect};

const WORK: Duration = Duration::from_millis(10);
/// Until it asks again, and until it connects again.
const PAUSE: Duration = Duration::from_millis(15);

/// Connects, and gives what it does from then on.
pub(super) async fn begin(place: Place) -> Result<impl Future<Output = ()>> {
    let connection = connect(&place.target).await?;
    Ok(work_on(place, Some(connection)))
}

async fn work_on(place: Place, mut connection: Option<Connection>) {
    while !place.stop.is_cancelled() {
        // A server that is away comes back, and nothing is held meanwhile.
        if turn(&place, &mut connection).await.is_err() {
            connection = None;
        }
        sleep(PAUSE).await;
    }
    if let Some(connection) = connection {
        connection.close().await;
    }
}

async fn turn(place: &Place, connection: &mut Option<Connection>) -> Result<()> {
    if connection.is_none() {
        *connection = Some(connect(&place.target).await?);
    }
    let connection = connection.as_mut().context("it was just opened")?;
    if !connection.try_lock(&place.job).await? {
        return Ok(());
    }
    let at_work = place.journal.begins(place.number, Code::Old);
    tokio::select! {
        biased;
        // Its lock has gone with it.
        () = connection.ended() => {}
        () = sleep(WORK) => {}
    }
    drop(at_work);
    connection.unlock(&place.job).await?;
    Ok(())
}
