//! `migration.toml`: the plan as a file that a person reads, corrects and keeps.
//!
//! What a person wrote or changed is never overwritten: values and comments stay, new keys are put at
//! the end, and only what was seen (`[name.seen]`) is written anew. A map of names and keys is the same
//! format with less in it.

mod merge;
mod read;
mod table;
#[cfg(test)]
mod tests;
mod text;

pub use merge::merged;
pub use read::{Document, read_former, read_map};

/// The format that this program reads and writes.
const VERSION: u64 = 1;
