//! The `lockaudit` command.

fn main() {}
