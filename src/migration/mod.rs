//! The way from advisory keys to lease rows, thought out: what was seen of each key, what is to become
//! of it and why, what it will be called. Values only: no server, no file, no clock.

pub mod decision;
mod gathering;
mod naming;
mod plan;
mod statement;
pub mod ttl;
mod usage;

pub use decision::{Decision, Judgement, Reason};
pub use gathering::Gathering;
pub use plan::{DecidedBy, Entry, Former, Plan, Standing, Told, Words};
pub use usage::{Call, Mode, ScopeSeen, Subject, Upper, Usage};
