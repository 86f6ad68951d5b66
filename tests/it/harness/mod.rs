//! Real servers, second sessions and the real binary, so that a test reads as a sentence.
//!
//! ```ignore
//! Server::each(|server| {
//!     let db = server.database("six_holders");
//!     let holder = db.session("worker-1");
//!     holder.idle_with(Key::single(42));
//!     let waiter = db.session("worker-2");
//!     waiter.waits_for(Key::single(42));
//!     lockaudit(&["scan", &db.url()]).exits_with(1).says("worker-1");
//! });
//! ```
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stderr,
    reason = "the harness reads the environment and clocks, talks to servers and reports to cargo test"
)]
#![expect(
    dead_code,
    reason = "a vocabulary: it has a few words more than the tests use today"
)]

mod address;
mod browser;
mod checks;
mod clock;
mod command;
mod database;
mod key;
mod marks;
mod pgbouncer;
mod process;
mod program;
mod proxy;
mod psql;
mod runtime;
mod samples;
mod scan;
mod server;
mod session;
mod sql_files;
mod wait;

pub use address::Address;
pub use browser::{Browser, graphviz};
pub use checks::conforms;
pub use clock::Clock;
pub use command::{Lockaudit, Outcome, Running, lockaudit};
pub use database::{Database, Role};
pub use key::Key;
pub use marks::Marks;
pub use pgbouncer::{PASSWORD, PgBouncer, Pooling};
pub use process::{Stopped, is_alive};
pub use program::{missing, program};
pub use proxy::{Network, Proxy};
pub use psql::Psql;
pub use samples::Samples;
pub use scan::{Found, Scan, items, scan, scan_with};
pub use server::{Server, fast_options, installations};
pub use session::Session;
pub use sql_files::{says_what_it_is, sql_files};
pub use wait::{now, wait_for, wait_for_some};
