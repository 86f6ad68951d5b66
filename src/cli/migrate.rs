//! `lockaudit migrate`, as typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::{
    ConnectionArgs, MigrateAdvanceArgs, MigrateApplyArgs, MigrateFenceArgs, MigrateFinishArgs,
    MigrateRollbackArgs, MigrateStatusArgs,
};
use crate::lease::{Bridge, TableName};
use crate::snippet::Language;
use crate::terminal::ColourChoice;

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub struct MigrateArgs {
    #[command(subcommand)]
    pub command: MigrateCommand,
}

#[derive(Debug, Subcommand)]
pub enum MigrateCommand {
    /// Say of each key in use what is to become of it, and why; write that as a file to review
    ///
    /// Reads the keys in use from a server, from saved snapshots or from both, and decides for each
    /// whether a lease takes its place, its transaction-level lock is fine, rows claimed by FOR UPDATE
    /// SKIP LOCKED fit better, it is a tool's own lock to keep, or it can't be moved as it is used.
    /// Nothing is changed on the server.
    Plan(Box<MigratePlanArgs>),
    /// Make the tables, and a row for each name under its old key: the migration begins
    ///
    /// Makes the tables of leases where they are missing, and a row for each name of the file whose decision
    /// is `lease`: with its old key, in mode `advisory`, in which nothing changes for anybody. All in one
    /// transaction; what is there already stays as it is. A name that is there with another key is refused,
    /// and so is a table of that name that is not ours.
    ///
    /// Do it before any code that takes leases is deployed: a name that is not there is taken by its lease alone.
    Apply(Box<MigrateApplyArgs>),
    /// Say where each name stands, and which gates are open
    ///
    /// Says of each name: its mode, who has its lease, whether the old key is beside it, who has that key or
    /// waits for it now, what was seen of old code, and which gate of its next steps is open and which is not.
    Status(Box<MigrateStatusArgs>),
    /// Hold the old keys, so that forgotten old code can't work and is seen
    ///
    /// It holds the old keys of names in mode `both` or `lease`, shared, over one direct connection: a
    /// forgotten old process can't work then, and is shown as it tries.
    ///
    /// It proves nothing alone: all its keys are free the moment its one session ends, and old code works from
    /// then on. What keeps old and new code apart is mode `both`, where new code holds the key itself. Run a second
    /// fence, on another host, and start both before old code waits: a key that somebody waits for is not shared
    /// with anybody new. An old process that waits keeps new code in mode `both` waiting too, until it is ended.
    Fence(Box<MigrateFenceArgs>),
    /// Take a name one mode further, towards its lease, if the gates are open
    ///
    /// Takes a name one mode further: from `advisory` (the old key alone) to `both` (the lease, and the key
    /// beside it), from there to `lease` (the lease alone). Each step has its gates; a gate that is shut is
    /// named, and nothing is done.
    Advance(Box<MigrateAdvanceArgs>),
    /// Take a name one mode back, towards its old key, if the gates are open
    ///
    /// Takes a name one mode back: from `lease` to `both`, always, and from there to `advisory` once every
    /// lease that somebody has is bridged.
    Rollback(Box<MigrateRollbackArgs>),
    /// Forget the old keys, once every name has its lease alone
    ///
    /// Forgets the old keys, once every name has been in mode `lease` for a whole period and its key is free:
    /// the names, their leases and their tokens stay, the log keeps which key each had, and the table of what
    /// was seen of old code goes. There is no way back to the keys afterwards.
    Finish(Box<MigrateFinishArgs>),
}

#[derive(Debug, Args)]
#[command(after_help = "\
With --input or --map a server is asked only if one is named, or --for is given. Ctrl-C ends the \
looking, and the plan is made of what was seen until then.

A file at -o is merged into: names, ttls, comments and decisions that somebody changed stay as they \
are, new keys come at the end, and keys that are not seen any more stay with a note. What was seen of \
a key in an earlier run counts as much as what is seen in this one.

The ttl of a lease is twice the longest hold that was seen, in whole minutes from 2 to 10. Longer holds \
must be renewed anyway, every 30 seconds, and get 2 minutes.

With --emit stdout is the code alone, whatever else the plan says, and the status is 0 or 2. The lease's \
part needs the driver that its first lines name, and the tables that `lease init` makes.

Exit status: 0 every key has a decision, 1 a key is refused as it is used (until its use, or the \
decision in the file, is changed), 2 the question could not be answered, 130 Ctrl-C before anything \
was seen.")]
pub struct MigratePlanArgs {
    #[command(flatten)]
    pub connection: ConnectionArgs,

    /// Look for this long; without it, once
    #[arg(long = "for", value_name = "DURATION", value_parser = super::typed::duration, help_heading = "Looking")]
    pub length: Option<Duration>,
    /// Time between two samples
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = super::typed::duration, requires = "length", help_heading = "Looking")]
    pub every: Duration,
    /// A snapshot that `scan --save` wrote, or the CSV of `scan --print-sql` (repeat for others)
    #[arg(long, value_name = "FILE", help_heading = "Looking")]
    pub input: Vec<PathBuf>,
    /// Only keys of this database (repeat for others)
    #[arg(long, value_name = "NAME", value_parser = super::typed::database_name, help_heading = "Looking")]
    pub database: Vec<String>,

    /// What keys are called: [[name]] tables with name, key and perhaps database and ttl, as in
    /// migration.toml (repeat for others)
    #[arg(long, value_name = "FILE", help_heading = "Naming")]
    pub map: Vec<PathBuf>,
    /// Your names for locks, and how keys are made of them: see docs/names.md (repeat for others)
    #[arg(long, value_name = "FILE", help_heading = "Naming")]
    pub names: Vec<PathBuf>,

    /// How to print the plan
    #[arg(
        short,
        long,
        value_name = "FORMAT",
        default_value = "table",
        help_heading = "Output"
    )]
    pub format: MigrateFormat,
    /// Write the plan to this file for review, usually migration.toml; merge into it if it is there
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Print the code of one key for its application instead: before, and under its lease
    #[arg(long, value_name = "LANGUAGE", value_parser = super::typed::language(), conflicts_with = "format", help_heading = "Code")]
    pub emit: Option<Language>,
    /// The name in the plan that the code is of; without it, the only one that becomes a lease
    #[arg(long, value_name = "NAME", requires = "emit", help_heading = "Code")]
    pub of: Option<String>,
    /// What that code does about the old key in mode `both`, as the code itself explains
    #[arg(long, value_name = "HOW", default_value = "hold", value_parser = super::typed::bridge(), requires = "emit", help_heading = "Code")]
    pub bridge: Bridge,
    /// The table of leases in that code: `table` or `schema.table`
    #[arg(
        long,
        value_name = "TABLE",
        default_value = "lockaudit_lease",
        requires = "emit",
        help_heading = "Code"
    )]
    pub table: TableName,
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
pub enum MigrateFormat {
    /// For people: the keys, then why
    Table,
    /// For programs: see `lockaudit schema migrate`
    Json,
}
