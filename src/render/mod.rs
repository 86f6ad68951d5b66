//! Bytes for people and programs. A renderer gets a report and writes it; it judges nothing.

pub mod json;
pub mod narration;
pub mod style;
pub mod table;
