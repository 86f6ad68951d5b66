//! The library behind the `lockaudit` command: collect or load a snapshot, judge it, show it.

pub mod describe;
pub mod finding;
pub mod hold;
pub mod key;
pub mod pg;
pub mod picture;
pub mod pool;
pub mod render;
pub mod report;
pub mod snapshot;
pub mod text;
pub mod waits;
pub mod words;
