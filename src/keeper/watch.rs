//! Tells the work under a lease to stop when no renewal was confirmed in time. It waits for a clock alone.

use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::boot_clock;
use crate::lease::timetable::{Timetable, Why};

/// A sleep does not count suspended time, so the clock is looked at this often.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);

/// What is known of a lease that is kept: both ends hold one.
#[derive(Debug, Clone)]
pub(super) struct Fate {
    stop: CancellationToken,
    why: watch::Sender<Option<Why>>,
}

impl Fate {
    pub fn open() -> Self {
        Self {
            stop: CancellationToken::new(),
            why: watch::Sender::new(None),
        }
    }

    /// The first reason stays.
    pub fn stop(&self, why: Why) {
        self.why.send_if_modified(|known| match known {
            Some(_) => false,
            None => {
                *known = Some(why);
                true
            }
        });
        self.stop.cancel();
    }

    pub fn why(&self) -> Option<Why> {
        *self.why.borrow()
    }

    pub fn token(&self) -> &CancellationToken {
        &self.stop
    }
}

/// Follows the deadline as it moves; ends when the work is told to stop.
pub(super) async fn watch(table: Timetable, mut deadline: watch::Receiver<Duration>, fate: Fate) {
    loop {
        let stop_at = table.stop_at(*deadline.borrow_and_update());
        let left = stop_at.saturating_sub(boot_clock::now());
        if left.is_zero() {
            return fate.stop(Why::Unconfirmed);
        }
        tokio::select! {
            () = fate.token().cancelled() => return,
            () = tokio::time::sleep(left.min(LONGEST_SLEEP)) => {}
            // Nobody renews any more: what was confirmed still holds until then.
            _ = deadline.changed(), if deadline.has_changed().is_ok() => {}
        }
    }
}
