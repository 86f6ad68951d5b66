//! A lease in the hands of a program.

use std::time::Duration;

use anyhow::{Context, Result};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::CLOSED;
use super::orders::Order;
use super::watch::Fate;
use crate::boot_clock;
use crate::lease::Term;
use crate::lease::timetable::{Timetable, Why};

/// A lease that is renewed until it is released, dropped or lost. Dropped, it runs out.
#[derive(Debug)]
pub struct Lease {
    kept: Kept,
    orders: mpsc::Sender<Order>,
}

/// What the desk hands over with a grant.
#[derive(Debug)]
pub(super) struct Kept {
    pub term: Term,
    pub table: Timetable,
    pub deadline: watch::Receiver<Duration>,
    pub fate: Fate,
    /// Tells the desk when this is gone.
    pub _dropped: DropGuard,
}

impl Lease {
    pub(super) fn of(kept: Kept, orders: mpsc::Sender<Order>) -> Self {
        Self { kept, orders }
    }

    /// Name, holder and fencing token, for whatever is written under the lease.
    pub fn term(&self) -> &Term {
        &self.kept.term
    }

    /// Cancelled when the work must stop: the lease is lost, or no renewal was confirmed in time. From then
    /// the timetable's grace is left at most.
    pub fn stop(&self) -> CancellationToken {
        self.kept.fate.token().clone()
    }

    /// Comes back when the work must stop.
    pub async fn stopped(&self) {
        self.kept.fate.token().cancelled().await;
    }

    pub fn is_stopped(&self) -> bool {
        self.why_stopped().is_some() || self.left().is_zero()
    }

    /// Nothing while the work may run.
    pub fn why_stopped(&self) -> Option<Why> {
        self.kept.fate.why()
    }

    /// How long the work may run unless another renewal is confirmed.
    pub fn left(&self) -> Duration {
        let stop_at = self.kept.table.stop_at(*self.kept.deadline.borrow());
        stop_at.saturating_sub(boot_clock::now())
    }

    /// Gives the lease back, once nothing of the work is left. False: it was lost before.
    ///
    /// # Errors
    /// When the server did not answer twice: it runs out by itself.
    pub async fn release(self, reason: Option<&str>) -> Result<bool> {
        let (answer, answered) = oneshot::channel();
        let order = Order::Release {
            term: self.kept.term.clone(),
            reason: reason.map(str::to_owned),
            answer,
        };
        self.orders.send(order).await.context(CLOSED)?;
        answered.await.context(CLOSED)?
    }
}
