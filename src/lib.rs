//! The library behind the `lockaudit` command: collect or load a snapshot, judge it, show it.

pub mod pg;
pub mod text;
pub mod throwaway;
