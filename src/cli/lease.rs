//! `lockaudit lease`, as typed.

use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::typed::{duration, lease_name, ttl};
use super::{ConnectionArgs, LeaseRunArgs};
use crate::lease::{Holder, Name, TableName, Token};
use crate::terminal::ColourChoice;

/// Leases are rows: whoever holds one holds no connection, and it ends by itself when it is not renewed.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub struct LeaseArgs {
    #[command(subcommand)]
    pub command: LeaseCommand,
}

#[derive(Debug, Subcommand)]
pub enum LeaseCommand {
    /// Create the tables of leases, and print what a role needs to be granted
    Init(Box<LeaseInitArgs>),
    /// Run a command while a lease is held, and stop it when the lease is lost
    ///
    /// Takes the lease, waiting for it if need be, runs the command, renews the lease while anything of the command
    /// runs, and gives it back afterwards. When the lease is lost, or cannot be renewed in time, the command is stopped
    /// with all processes of its group: SIGTERM, then SIGKILL.
    ///
    /// The command is run as it stands, without a shell. It gets the terminal, stdin and signals as it would without
    /// lockaudit, and finds LOCKAUDIT_LEASE_NAME, _HOLDER, _TOKEN and _TTL in its environment: give the token to
    /// whatever it writes to, so that a late write can be refused. A process that leaves the group (setsid) is not
    /// stopped.
    Run(Box<LeaseRunArgs>),
    /// Take a lease once, and print its holder, token and end
    Take(Box<LeaseTakeArgs>),
    /// Give a lease its time anew
    Renew(Box<LeaseRenewArgs>),
    /// Give a lease back
    Release(Box<LeaseReleaseArgs>),
    /// Show who has which lease, since when, and for how long still
    List(Box<LeaseListArgs>),
    /// Ask whether a lease is valid
    Check(Box<LeaseCheckArgs>),
    /// Take a lease away from whoever has it; its token rises, so that they are refused everywhere
    Break(Box<LeaseBreakArgs>),
    /// Show what happened to leases, the newest first
    History(Box<LeaseHistoryArgs>),
    /// Delete old events from the log; leases and the last grant of each name stay
    Prune(Box<LeasePruneArgs>),
}

#[derive(Debug, Args)]
pub struct LeaseTableArgs {
    /// The table of leases: `table` or `schema.table`; its log is called the same with _log
    #[arg(
        long,
        value_name = "TABLE",
        default_value = "lockaudit_lease",
        env = "LOCKAUDIT_LEASE_TABLE",
        hide_env_values = true,
        help_heading = "Lease"
    )]
    pub table: TableName,
}

#[derive(Debug, Args)]
#[command(after_help = "Exit status: 0 created, or there already, 2 it could not be done.")]
pub struct LeaseInitArgs {
    #[command(flatten)]
    pub connection: ConnectionArgs,
    #[command(flatten)]
    pub table: LeaseTableArgs,
    /// The role whose grants are printed
    #[arg(
        long,
        value_name = "ROLE",
        default_value = "app",
        help_heading = "Lease"
    )]
    pub role: String,
    /// Print the SQL, and connect to nothing
    #[arg(long, help_heading = "Doing")]
    pub print_sql: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 granted, 1 not granted: somebody else has it, 2 it is not known."
)]
pub struct LeaseTakeArgs {
    /// The lease's name
    #[arg(value_parser = lease_name)]
    pub name: Name,
    #[command(flatten)]
    pub connection: ConnectionArgs,
    #[command(flatten)]
    pub table: LeaseTableArgs,
    /// How long it lasts unless it is renewed
    #[arg(long, value_name = "DURATION", default_value = "120s", value_parser = ttl, help_heading = "Lease")]
    pub ttl: Duration,
    /// Who takes it, if not a new HOST:PID:CHANCE; the same holder gets the same lease again
    #[arg(long, value_name = "HOLDER", help_heading = "Lease")]
    pub holder: Option<Holder>,
    /// Why, for the log
    #[arg(long, value_name = "TEXT", help_heading = "Lease")]
    pub reason: Option<String>,
    #[command(flatten)]
    pub output: LeaseTermOutputArgs,
}

/// Which lease, and as whom.
#[derive(Debug, Args)]
pub struct TermArgs {
    /// The lease's name
    #[arg(value_parser = lease_name, env = "LOCKAUDIT_LEASE_NAME", hide_env_values = true)]
    pub name: Name,
    /// The holder that `take` printed
    #[arg(
        long,
        value_name = "HOLDER",
        env = "LOCKAUDIT_LEASE_HOLDER",
        hide_env_values = true,
        help_heading = "Lease"
    )]
    pub holder: Holder,
    /// The token that `take` printed
    #[arg(
        long,
        value_name = "TOKEN",
        env = "LOCKAUDIT_LEASE_TOKEN",
        hide_env_values = true,
        help_heading = "Lease"
    )]
    pub token: Token,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 renewed, 1 lost for certain, 2 it is not known: it may be asked again while the lease lasts."
)]
pub struct LeaseRenewArgs {
    #[command(flatten)]
    pub term: TermArgs,
    #[command(flatten)]
    pub connection: ConnectionArgs,
    #[command(flatten)]
    pub table: LeaseTableArgs,
    /// How long it lasts from now unless it is renewed
    #[arg(long, value_name = "DURATION", default_value = "120s", value_parser = ttl, env = "LOCKAUDIT_LEASE_TTL", hide_env_values = true, help_heading = "Lease")]
    pub ttl: Duration,
    #[command(flatten)]
    pub output: LeaseTermOutputArgs,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 released, 1 it was not this holder's any more, 2 it is not known: it may be asked again."
)]
pub struct LeaseReleaseArgs {
    #[command(flatten)]
    pub term: TermArgs,
    #[command(flatten)]
    pub connection: ConnectionArgs,
    #[command(flatten)]
    pub table: LeaseTableArgs,
    /// Why, for the log
    #[arg(long, value_name = "TEXT", help_heading = "Lease")]
    pub reason: Option<String>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 valid, with time left, 1 not (or not this holder's), 2 it is not known."
)]
pub struct LeaseCheckArgs {
    /// The lease's name
    #[arg(value_parser = lease_name, env = "LOCKAUDIT_LEASE_NAME", hide_env_values = true)]
    pub name: Name,
    #[command(flatten)]
    pub connection: ConnectionArgs,
    #[command(flatten)]
    pub table: LeaseTableArgs,
    /// Only if it is this holder's
    #[arg(
        long,
        value_name = "HOLDER",
        env = "LOCKAUDIT_LEASE_HOLDER",
        hide_env_values = true,
        help_heading = "Lease"
    )]
    pub holder: Option<Holder>,
    /// Only if it is under this token
    #[arg(
        long,
        value_name = "TOKEN",
        env = "LOCKAUDIT_LEASE_TOKEN",
        hide_env_values = true,
        help_heading = "Lease"
    )]
    pub token: Option<Token>,
    #[command(flatten)]
    pub output: LeaseTermOutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Exit status: 0 listed, 2 it could not be.")]
pub struct LeaseListArgs {
    #[command(flatten)]
    pub connection: ConnectionArgs,
    #[command(flatten)]
    pub table: LeaseTableArgs,
    #[command(flatten)]
    pub output: LeaseOutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Exit status: 0 broken, 1 nobody had it, 2 it is not known.")]
pub struct LeaseBreakArgs {
    /// The lease's name
    #[arg(value_parser = lease_name)]
    pub name: Name,
    #[command(flatten)]
    pub connection: ConnectionArgs,
    #[command(flatten)]
    pub table: LeaseTableArgs,
    /// Why, for the log: whoever had it may still be at work
    #[arg(long, value_name = "TEXT", required = true, help_heading = "Lease")]
    pub reason: String,
}

#[derive(Debug, Args)]
#[command(after_help = "Exit status: 0 shown, 2 it could not be.")]
pub struct LeaseHistoryArgs {
    /// Only of this lease
    #[arg(value_parser = lease_name)]
    pub name: Option<Name>,
    #[command(flatten)]
    pub connection: ConnectionArgs,
    #[command(flatten)]
    pub table: LeaseTableArgs,
    /// How many events at most
    #[arg(long, value_name = "N", default_value = "50", help_heading = "Lease")]
    pub limit: u32,
    #[command(flatten)]
    pub output: LeaseOutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Exit status: 0 pruned, 2 it could not be.")]
pub struct LeasePruneArgs {
    #[command(flatten)]
    pub connection: ConnectionArgs,
    #[command(flatten)]
    pub table: LeaseTableArgs,
    /// Younger events stay
    #[arg(long, value_name = "DURATION", default_value = "30d", value_parser = duration, help_heading = "Lease")]
    pub older_than: Duration,
}

#[derive(Debug, Args)]
pub struct LeaseOutputArgs {
    /// How to show the result
    #[arg(
        short,
        long,
        value_name = "FORMAT",
        default_value = "table",
        help_heading = "Output"
    )]
    pub format: LeaseFormat,
    /// When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Output"
    )]
    pub color: ColourChoice,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LeaseFormat {
    /// For people
    Table,
    /// For programs: schema/lease.json
    Json,
}

#[derive(Debug, Args)]
pub struct LeaseTermOutputArgs {
    /// How to show the lease
    #[arg(
        short,
        long,
        value_name = "FORMAT",
        default_value = "text",
        help_heading = "Output"
    )]
    pub format: LeaseTermFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LeaseTermFormat {
    /// For people: a sentence
    Text,
    /// For programs: schema/lease.json
    Json,
    /// For a shell: lease=$(lockaudit lease take NAME -f sh) && eval "$lease", then `lease renew` and `lease release` need no more
    Sh,
}
