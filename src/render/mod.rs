//! Bytes for people and programs. A renderer gets a report and writes it; it judges nothing.

pub mod csv;
pub mod json;
pub mod narration;
#[cfg(test)]
mod planted;
pub mod style;
pub mod table;
