//! A lease in the hands of a program.

use std::time::Duration;

use anyhow::{Context, Result};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::CLOSED;
use super::key::HeldKey;
use super::orders::Order;
use super::watch::Fate;
use crate::boot_clock;
use crate::cutover::admission::Footing;
use crate::lease::timetable::{Timetable, Why};
use crate::lease::{Holder, Mode, Name, Term, Token};

/// A lease that is renewed until it is released, dropped or lost. Dropped, it runs out. While its name
/// moves from its old key it stands on that too, or on that alone.
#[derive(Debug)]
pub struct Lease {
    pub(super) name: Name,
    pub(super) holder: Holder,
    pub(super) table: Timetable,
    pub(super) fate: Fate,
    pub(super) kept: Option<Kept>,
    pub(super) key: Option<HeldKey>,
    pub(super) orders: mpsc::Sender<Order>,
}

/// What the desk hands over with a grant.
#[derive(Debug)]
pub(super) struct Kept {
    pub term: Term,
    pub mode: Mode,
    pub deadline: watch::Receiver<Duration>,
    pub fate: Fate,
    /// Tells the desk when this is gone.
    pub _dropped: DropGuard,
}

impl Lease {
    pub fn name(&self) -> &Name {
        &self.name
    }

    pub fn holder(&self) -> &Holder {
        &self.holder
    }

    /// The fencing token, for whatever is written under the lease. Nothing where the name's old key stands for
    /// it: there is no token then, as there was none for old code.
    pub fn token(&self) -> Option<Token> {
        self.term().map(|term| term.token)
    }

    /// Name, holder and token in one; nothing where there is no token.
    pub fn term(&self) -> Option<&Term> {
        self.kept.as_ref().map(|kept| &kept.term)
    }

    /// What the work stands on.
    pub fn footing(&self) -> Footing {
        match (&self.kept, &self.key) {
            (Some(_), None) => Footing::Lease,
            (Some(_), Some(_)) => Footing::LeaseAndKey,
            (None, _) => Footing::Key,
        }
    }

    /// Cancelled when the work must stop: the lease is lost, or the old key beside it, or no renewal was
    /// confirmed in time. From then the timetable's grace is left at most, and nothing once the key is lost.
    pub fn stop(&self) -> CancellationToken {
        self.fate.token().clone()
    }

    /// Comes back when the work must stop.
    pub async fn stopped(&self) {
        self.fate.token().cancelled().await;
    }

    pub fn is_stopped(&self) -> bool {
        self.why_stopped().is_some() || self.left().is_zero()
    }

    /// Nothing while the work may run.
    pub fn why_stopped(&self) -> Option<Why> {
        self.fate.why()
    }

    /// How long the work may run unless another renewal is confirmed.
    pub fn left(&self) -> Duration {
        let lease = self.kept.as_ref().map(|kept| *kept.deadline.borrow());
        let key = self.key.as_ref().map(|key| *key.deadline.borrow());
        let deadline = lease.into_iter().chain(key).min().unwrap_or_default();
        let stop_at = self.table.stop_at(deadline);
        stop_at.saturating_sub(boot_clock::now())
    }

    /// Gives the lease back, and the old key after it, once nothing of the work is left. False: it was lost before.
    ///
    /// # Errors
    /// When the server did not answer twice: it runs out by itself.
    pub async fn release(self, reason: Option<&str>) -> Result<bool> {
        let Self {
            kept, key, orders, ..
        } = self;
        let lease = match &kept {
            Some(kept) => released(&orders, &kept.term, reason).await,
            None => Ok(true),
        };
        let had_key = match key {
            Some(key) => key.give_back().await,
            None => true,
        };
        Ok(lease? && had_key)
    }
}

async fn released(orders: &mpsc::Sender<Order>, term: &Term, reason: Option<&str>) -> Result<bool> {
    let (answer, answered) = oneshot::channel();
    let order = Order::Release {
        term: term.clone(),
        reason: reason.map(str::to_owned),
        answer,
    };
    orders.send(order).await.context(CLOSED)?;
    answered.await.context(CLOSED)?
}
