//! The server: how to reach it, and one file for each question it is asked.
#![expect(
    clippy::disallowed_types,
    reason = "this is the layer that talks to a server"
)]

mod attempt;
pub mod connect;
mod dial;
mod driver;
pub mod failure;
mod host_order;
mod limit;
mod line;
mod login;
mod session_kind;
pub mod target;
mod tls;
