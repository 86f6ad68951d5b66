//! A fixed pool of real connections, as an application has one.
//!
//! The semaphore is fair: who asks first is served first.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::pg::connect::{Connection, connect};
use crate::pg::target::Target;

/// Never more than so many connections; each is with one borrower or idle here.
pub(super) struct Pool {
    target: Target,
    size: usize,
    places: Arc<Semaphore>,
    idle: Mutex<Vec<Connection>>,
    asking: AtomicUsize,
}

/// A connection on loan. Dropped, it goes back, unless its session has ended: then its place is
/// free for another one.
pub(super) struct Loan {
    connection: Option<Connection>,
    pool: Arc<Pool>,
    // Given back after the connection, which `drop` sees to.
    _place: OwnedSemaphorePermit,
}

/// What a pool's metrics would show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Use {
    pub taken: usize,
    pub asked_for: usize,
}

impl Pool {
    /// Opens all its connections.
    pub(super) async fn open(target: Target, size: usize) -> Result<Arc<Self>> {
        let mut idle = Vec::new();
        for _ in 0..size {
            idle.push(connect(&target).await?);
        }
        // The one that was opened first is lent first.
        idle.reverse();
        Ok(Arc::new(Self {
            target,
            size,
            places: Arc::new(Semaphore::new(size)),
            idle: Mutex::new(idle),
            asking: AtomicUsize::new(0),
        }))
    }

    /// Waits for a free connection, however long that takes.
    pub(super) async fn borrow(self: &Arc<Self>) -> Result<Loan> {
        let place = self.place().await?;
        let idle = self.idle().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => connect(&self.target).await?,
        };
        Ok(Loan {
            connection: Some(connection),
            pool: Arc::clone(self),
            _place: place,
        })
    }

    pub(super) fn usage(&self) -> Use {
        Use {
            taken: self.size - self.places.available_permits(),
            asked_for: self.asking.load(Ordering::Relaxed),
        }
    }

    async fn place(&self) -> Result<OwnedSemaphorePermit> {
        let _asking = Asking::of(&self.asking);
        let place = Arc::clone(&self.places).acquire_owned().await;
        place.context("the pool is closed")
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Loan {
    pub(super) fn connection(&mut self) -> &mut Connection {
        let connection = self.connection.as_mut();
        connection.expect("a loan has its connection until it is dropped")
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        let connection = self.connection.take();
        let alive = connection.filter(|connection| !connection.client.is_closed());
        self.pool.idle().extend(alive);
    }
}

/// Counted for as long as it lives, also when its owner gives up asking.
struct Asking<'a>(&'a AtomicUsize);

impl<'a> Asking<'a> {
    fn of(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
