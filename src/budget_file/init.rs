//! The file that `lockaudit budget init` writes: a plan that holds, with every key explained.

/// It is read by a test, so that it stays a plan that this program understands.
pub const TEMPLATE: &str = include_str!("template.toml");
