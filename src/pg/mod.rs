//! The server: how to reach it, and one file for each question it is asked.
#![expect(
    clippy::disallowed_types,
    reason = "the boundary that talks to a server and decodes its rows"
)]

mod blindness;
mod column;
mod locks;
mod names;
mod prepared;
pub mod question;
pub mod sample;
mod server;
mod sessions;
pub mod settings;
pub mod target;

pub use sessions::QueryTexts;
