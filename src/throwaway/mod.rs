//! Throwaway PostgreSQL servers, made from the binaries of this machine: for the lab and the tests.
//!
//! Nothing outlives the process that started a server, not even after `kill -9`: see [`guardian`].
//! It never touches a server it did not start.
#![expect(
    clippy::disallowed_methods,
    reason = "where the binaries lie is told by the environment, and a server's start has a deadline"
)]

mod account;
mod cluster;
mod deadline;
mod folder;
mod guardian;
mod initdb;
mod installation;
mod options;
mod pgbouncer;
mod postmaster;
mod standby;

pub use account::Account;
pub use cluster::Cluster;
pub use folder::{PrivateFolder, remove_leftovers};
pub use guardian::Guardian;
pub use installation::Installation;
pub use options::{ClusterOptions, Listen};
pub use pgbouncer::PgBouncer;
pub use postmaster::Shutdown;
