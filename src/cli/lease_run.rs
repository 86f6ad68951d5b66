//! `lockaudit lease run`, as typed.

use std::ffi::OsString;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::ConnectionArgs;
use super::lease::LeaseTableArgs;
use super::typed::{duration, lease_name, ttl};
use crate::cutover::admission::Way;
use crate::lease::Name;

#[derive(Debug, Args)]
#[command(
    mut_arg("no_password", |flag| flag.short(None)),
    after_help = "Exit status: the command's own, 128+N if signal N ended it; 75 (-E) somebody else has the lease, 76 the lease was lost and the command stopped, 125 lockaudit failed, 126 the command cannot be executed, 127 it was not found."
)]
pub struct LeaseRunArgs {
    /// The lease's name
    #[arg(value_parser = lease_name)]
    pub name: Name,
    #[command(flatten)]
    pub connection: ConnectionArgs,
    #[command(flatten)]
    pub table: LeaseTableArgs,

    /// Do not wait for a lease that somebody else has
    #[arg(short = 'n', long, conflicts_with = "wait", help_heading = "Waiting")]
    pub no_wait: bool,
    /// Wait this long at most; without it, for ever. Waiting is not fair: who looks first after the end gets it
    #[arg(short = 'w', long, value_name = "DURATION", value_parser = duration, help_heading = "Waiting")]
    pub wait: Option<Duration>,
    /// The exit status when somebody else has the lease
    #[arg(
        short = 'E',
        long,
        value_name = "STATUS",
        default_value = "75",
        help_heading = "Waiting"
    )]
    pub conflict_exit_code: u8,

    /// How long the lease lasts unless it is renewed
    #[arg(long, value_name = "DURATION", default_value = "120s", value_parser = ttl, help_heading = "Lease")]
    pub ttl: Duration,
    /// How often it is renewed [default: a quarter of --ttl, 30s at most]
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Lease")]
    pub renew: Option<Duration>,
    /// From SIGTERM to SIGKILL, when it could not be renewed [default: a twelfth of --ttl, 10s at most]
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Lease")]
    pub grace: Option<Duration>,
    /// From SIGKILL to the end of the lease [default: a twenty-fourth of --ttl, 5s at most]
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Lease")]
    pub margin: Option<Duration>,
    /// How old code is kept out of a name in mode `both`, while it moves from its advisory key (`lockaudit migrate`)
    #[arg(
        long,
        value_name = "HOW",
        default_value = "hold",
        help_heading = "Lease"
    )]
    pub bridge: TypedWay,
    /// Why, for the log of leases, if not the command's name (its arguments may hold secrets)
    #[arg(long, value_name = "TEXT", help_heading = "Lease")]
    pub reason: Option<String>,

    /// The command and its arguments, after --
    #[arg(
        last = true,
        required = true,
        value_name = "COMMAND",
        help_heading = "Command"
    )]
    pub command: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TypedWay {
    /// Hold the key, shared, on a direct session of its own for as long as the command runs
    Hold,
    /// Ask for the key once, as the lease is taken: only where old code looks for a lease once it has the key
    Probe,
}

impl From<TypedWay> for Way {
    fn from(typed: TypedWay) -> Self {
        match typed {
            TypedWay::Hold => Self::Hold,
            TypedWay::Probe => Self::Probe,
        }
    }
}
