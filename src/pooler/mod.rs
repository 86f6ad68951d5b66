//! Poolers between programs and the server: which backends are theirs, who has each at the moment, and what
//! each pooler does to session-level locks.
//!
//! Where a console was read, [`backends`] joins what it says with the server's sessions. Where none was,
//! [`signs`] weighs what the server alone shows.

pub mod backends;
mod console;
mod product;
pub mod signs;

pub use console::Console;
pub use product::Product;
