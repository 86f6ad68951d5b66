//! Code that takes leases through the keeper, which does what the name's mode says.

use std::future::Future;
use std::time::Duration;

use anyhow::Result;
use tokio::time::sleep;

use super::pod::Place;
use crate::cutover::double_work::Code;
use crate::keeper::{Keeper, Options};
use crate::lease::Name;

const TTL: Duration = Duration::from_secs(5);
const WORK: Duration = Duration::from_millis(10);
/// New code waits in the queue of the old key, and old code that only asks gets it while nobody queues: a shorter
/// pause would leave old code no turn.
const PAUSE: Duration = Duration::from_millis(60);

/// Connects, and gives what it does from then on.
pub(super) async fn begin(place: Place) -> Result<impl Future<Output = ()>> {
    let name = place.job.parse()?;
    let keeper = Keeper::connect_to(place.target.clone(), Options::with_ttl(TTL)?).await?;
    Ok(work_on(place, keeper, name))
}

async fn work_on(place: Place, keeper: Keeper, name: Name) {
    while !place.stop.is_cancelled() {
        // Neither can be worked under: somebody else is in, or it is not known who is.
        if let Ok(Some(lease)) = keeper.take(&name, None).await {
            let at_work = place.journal.begins(place.number, Code::New);
            tokio::select! {
                biased;
                () = lease.stopped() => {}
                () = sleep(WORK) => {}
            }
            drop(at_work);
            // One that can't be given back runs out.
            let _ = lease.release(None).await;
        }
        sleep(PAUSE).await;
    }
    keeper.close().await;
}
