//! Leases for programs: many, kept on one connection.
//!
//! A [`Keeper`] has a connection of its own and renews all leases by one statement: a thousand leases cost
//! one session and one transaction a renewal. A [`Lease`] says when to stop through a cancellation token,
//! which a clock fires and no network can hold up: work that heeds it in the time of `grace` ends before
//! anybody else can have the lease.
//!
//! ```no_run
//! use lockaudit::keeper::{Keeper, Options};
//!
//! # async fn work() -> anyhow::Result<()> {
//! let keeper = Keeper::connect("postgres://app@db1/orders", Options::default()).await?;
//! let sweep = "sweep".parse()?;
//! match keeper.take(&sweep, Some("nightly")).await? {
//!     None => println!("somebody else sweeps"),
//!     Some(lease) => {
//!         tokio::select! {
//!             () = clean_up(lease.token()) => println!("swept"),
//!             () = lease.stopped() => println!("stopped: the lease is lost"),
//!         }
//!         lease.release(None).await?;
//!     }
//! }
//! keeper.close().await;
//! # Ok(())
//! # }
//! # async fn clean_up(_: Option<lockaudit::lease::Token>) {}
//! ```
//!
//! While a name moves from its old key to its lease (`lockaudit migrate`) the keeper does what its mode says: the
//! key is held on a session more, beside the lease or in its place. The program does not change with it.
//!
//! What a lease does not promise stands in `docs/leases.md`. It needs a tokio runtime that is never kept
//! busy for long: blocking work belongs into `spawn_blocking`, and its result after a look at
//! [`Lease::is_stopped`].

mod entrance;
mod key;
mod lease;
mod orders;
mod session;
mod watch;

use std::time::Duration;

use anyhow::{Context, Result};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

pub use lease::Lease;

use crate::cutover::admission::Way;
use crate::lease::timetable::{DEFAULT_TTL, Timetable, Unfit, Wished};
use crate::lease::{Holder, Name, TableName};
use crate::pg::settings::{self, Environment, Request};
use crate::pg::target::{SessionAttrs, Target};
use entrance::Door;
use orders::{Desk, Order};
use session::Session;

/// How leases are kept.
#[derive(Debug, Clone)]
pub struct Options {
    pub table: TableName,
    /// When they are renewed, and when their work is told to stop.
    pub timetable: Timetable,
    /// What is done about the old key of a name that moves to its lease.
    pub way: Way,
}

impl Options {
    /// The usual table, and leases of this length.
    ///
    /// # Errors
    /// When leases of this length could not be kept.
    pub fn with_ttl(ttl: Duration) -> Result<Self, Unfit> {
        let wished = Wished {
            ttl,
            renew: None,
            grace: None,
            margin: None,
        };
        Ok(Self {
            table: TableName::default(),
            timetable: Timetable::of(wished)?,
            way: Way::default(),
        })
    }
}

impl Default for Options {
    /// Two minutes, renewed every half.
    fn default() -> Self {
        Self::with_ttl(DEFAULT_TTL).expect("leases of the usual length can be kept")
    }
}

/// Keeps leases on one connection of its own. Dropped, it renews no more: its leases tell their work to
/// stop in time, and run out.
#[derive(Debug)]
pub struct Keeper {
    door: Door,
    desk: JoinHandle<()>,
}

impl Keeper {
    /// Connects as psql would with this URI or conninfo string and the environment; where it names several
    /// hosts, to the one that takes writes.
    ///
    /// # Errors
    /// When the settings make no sense, and when no server can be reached.
    pub async fn connect(connection: &str, options: Options) -> Result<Self> {
        let request = Request {
            dbname: Some(connection.to_owned()),
            ..Request::default()
        };
        let resolved = settings::resolve(&request, &Environment::of_this_process())?;
        Self::connect_to(resolved.target, options).await
    }

    /// # Errors
    /// When no server can be reached.
    pub async fn connect_to(mut target: Target, options: Options) -> Result<Self> {
        if target.session_attrs == SessionAttrs::Any {
            target.session_attrs = SessionAttrs::ReadWrite;
        }
        let mut session = Session::of(target.clone(), options.table.clone());
        session.open().await?;
        let (orders, received) = mpsc::channel(64);
        let desk = Desk::new(session, options.timetable, options.way.bridge());
        let door = Door {
            target,
            table: options.table,
            timetable: options.timetable,
            way: options.way,
            orders,
        };
        Ok(Self {
            door,
            desk: tokio::spawn(desk.serve(received)),
        })
    }

    /// Takes a lease for a new holder, once; nothing if somebody else has it. `reason` is for the log. An old key
    /// beside it, or in its place, is waited for for two seconds at most.
    ///
    /// # Errors
    /// When the server did not answer twice; what it granted all the same runs out by itself. When an old key is
    /// to be held, and a pooler stands before the server.
    pub async fn take(&self, name: &Name, reason: Option<&str>) -> Result<Option<Lease>> {
        self.door.let_in(name, new_holder()?, reason).await
    }

    /// Ends the connection. Leases that were not released run out.
    pub async fn close(self) {
        let Self { door, desk } = self;
        if door.orders.send(Order::Close).await.is_ok() {
            // A desk that panicked has closed as well.
            let _ = desk.await;
        }
    }
}

const CLOSED: &str = "the keeper of leases is closed";

/// A holder that no other call has: `host:pid:16 hexadecimal digits`.
///
/// # Errors
/// When the operating system gives no random number.
pub fn new_holder() -> Result<Holder> {
    let chance = getrandom::u64().context("could not make a new holder")?;
    let system = rustix::system::uname();
    let host = system.nodename().to_string_lossy();
    Ok(Holder::of(&host, std::process::id(), chance))
}

/// From 0 to 1, so that not all renew at once. It need not be good.
fn chance() -> f64 {
    // Without chance nothing is wrong but for the load.
    getrandom::u32().map_or(0.5, |number| f64::from(number) / f64::from(u32::MAX))
}
