//! `lockaudit migrate fence`, as typed.

use std::time::Duration;

use clap::{Args, ValueEnum};

use super::typed::{duration, lease_name, ttl};
use super::{ConnectionArgs, LeaseTableArgs};
use crate::lease::Name;

#[derive(Debug, Args)]
#[command(after_help = "\
Keys are tried for and never waited for, and it holds a tenth of the server's lock table at most. A name that goes \
back to `advisory` is given back at once, and names that come to `both` later are held too, unless NAMEs are given.

Its own lease, `fence:DATABASE:NUMBER`, shows in `lockaudit lease list` whether it lives. It refuses to run through \
a pooler.

Exit status: 0 ended by --for or SIGTERM, and no old code was met; 1 it was met; 2 it could not be done, or the \
session ended, and the keys with it; 130 Ctrl-C.")]
pub struct MigrateFenceArgs {
    /// The names; without, every one that is in mode `both` or `lease` and has an old key
    #[arg(long = "name", value_name = "NAME", value_parser = lease_name, help_heading = "Fencing")]
    pub names: Vec<Name>,
    #[command(flatten)]
    pub connection: ConnectionArgs,

    /// End after this long; without it, at a signal
    #[arg(long = "for", value_name = "DURATION", value_parser = duration, help_heading = "Fencing")]
    pub length: Option<Duration>,
    /// Time between two rounds of trying and looking
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = duration, help_heading = "Fencing")]
    pub every: Duration,
    /// How long the fence's own lease lasts once it is not renewed any more
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = ttl, help_heading = "Fencing")]
    pub ttl: Duration,
    #[command(flatten)]
    pub table: LeaseTableArgs,

    /// How to print what happens, a line each
    #[arg(
        short,
        long,
        value_name = "FORMAT",
        default_value = "text",
        help_heading = "Output"
    )]
    pub format: FenceFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FenceFormat {
    /// For people
    Text,
    /// For programs: a JSON object a line; see `lockaudit schema migrate`
    Ndjson,
}
