//! The server: how to reach it, and one file for each question it is asked.

pub mod settings;
pub mod target;
