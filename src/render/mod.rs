//! Bytes for people and programs. A renderer gets a report and writes it; it judges nothing.

pub mod briefing;
pub mod budget;
mod column;
pub mod csv;
pub mod dot;
pub mod fence;
mod graph;
pub mod html;
pub mod json;
pub mod lease;
mod lock_rows;
pub mod markdown;
mod masthead;
pub mod mermaid;
pub mod narration;
pub mod page;
#[cfg(test)]
mod planted;
mod pool_rows;
mod pooler_rows;
mod repeats;
pub mod style;
pub mod table;
