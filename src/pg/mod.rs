//! The server: how to reach it, and one file for each question it is asked.
#![expect(
    clippy::disallowed_types,
    reason = "the boundary that talks to a server and decodes its rows"
)]

mod application;
mod attempt;
pub mod ceilings;
mod column;
pub mod connect;
mod connection;
mod console;
pub mod cutover;
mod dial;
mod driver;
pub mod failure;
pub mod fence;
pub mod follow;
mod greeting;
mod host_order;
pub mod lease;
mod limit;
mod line;
mod literals;
mod locks;
mod login;
mod names;
pub mod observe;
pub mod old_key;
mod one_string;
mod prepared;
pub mod question;
pub mod release;
mod runtime;
pub mod sample;
mod server;
mod session_kind;
mod sessions;
pub mod settings;
pub mod target;
mod timeouts;
mod tls;
mod transaction;
mod way_in;

pub use application::LockCount;
pub use runtime::runtime;
pub use sessions::QueryTexts;
