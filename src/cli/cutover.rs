//! `lockaudit migrate apply`, `advance`, `rollback`, `status`, `finish`, as typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{ConnectionArgs, LeaseTableArgs, MigrateFormat};
use crate::lease::{Mode, Name};
use crate::terminal::ColourChoice;

#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 done, or nothing to do, 2 refused: nothing was changed.")]
pub struct MigrateApplyArgs {
    #[command(flatten)]
    pub connection: ConnectionArgs,

    /// The reviewed plan; without it, migration.toml, unless only functions are asked for
    #[arg(long, value_name = "FILE", help_heading = "Doing")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub table: LeaseTableArgs,
    /// Print the SQL for psql, and do nothing
    #[arg(long, help_heading = "Doing")]
    pub dry_run: bool,
    /// Also make SQL functions for applications: TABLE_take, _renew, _release and _check
    #[arg(long, help_heading = "Doing")]
    pub functions: bool,
    /// Remove those functions, and do nothing else
    #[arg(long, conflicts_with_all = ["functions", "file"], help_heading = "Doing")]
    pub uninstall_functions: bool,
}

#[derive(Debug, Args)]
#[command(after_help = STEP_HELP)]
pub struct MigrateAdvanceArgs {
    #[command(flatten)]
    pub step: MigrateStepArgs,
}

#[derive(Debug, Args)]
#[command(after_help = STEP_HELP)]
pub struct MigrateRollbackArgs {
    #[command(flatten)]
    pub step: MigrateStepArgs,
}

const STEP_HELP: &str = "\
A reason (--force) stands for what can't be seen of the past, and is logged. It opens no gate that is \
shut by what is seen now: an old key that is in use, a lease without its key.

Exit status: 0 every name is where it was to go, 1 a gate is shut, 2 it could not be done.";

#[derive(Debug, Args)]
pub struct MigrateStepArgs {
    /// The name
    #[arg(value_name = "NAME", required_unless_present = "all")]
    pub name: Option<Name>,
    #[command(flatten)]
    pub connection: ConnectionArgs,

    /// Every name that has an old key, each as far as its gates are open (name the server by -d or -h)
    #[arg(long, conflicts_with = "name", help_heading = "Doing")]
    pub all: bool,
    /// Only to this mode: then it may be asked for twice
    #[arg(long, value_name = "MODE", help_heading = "Doing")]
    pub to: Option<TypedMode>,
    /// Go on though old code could not be looked for long enough; say why
    #[arg(long, value_name = "REASON", value_parser = reason, help_heading = "Doing")]
    pub force: Option<String>,
    #[command(flatten)]
    pub period: PeriodArgs,
    #[command(flatten)]
    pub table: LeaseTableArgs,
    /// Show the gates, and do nothing
    #[arg(long, help_heading = "Doing")]
    pub dry_run: bool,
    /// When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Output"
    )]
    pub color: ColourChoice,
}

#[derive(Debug, Args)]
pub struct PeriodArgs {
    /// The longest time between two runs of the work, or that one takes: old code must not have been
    /// seen for so long
    #[arg(long, value_name = "DURATION", default_value = "24h", value_parser = super::typed::duration, help_heading = "Doing")]
    pub period: Duration,
}

#[derive(Debug, Args)]
#[command(after_help = "\
With --wait-for it looks every second, and writes down what it sees of old code beside the table of \
leases: that opens the gates `old-code-quiet` and `no-new-calls`. Without, it only reads.

A name is ready for MODE when it is in it and settled, or one step away with every gate open. In \
`both` it is settled once every lease that somebody has is bridged: old code may start then.

Exit status: 0 answered (with --wait-for: every name is ready), 1 not ready in time, 2 it could not be seen.")]
pub struct MigrateStatusArgs {
    #[command(flatten)]
    pub connection: ConnectionArgs,

    /// Only this name
    #[arg(long, value_name = "NAME", help_heading = "Waiting")]
    pub name: Option<Name>,
    /// Wait until every name is ready for this mode
    #[arg(long, value_name = "MODE", help_heading = "Waiting")]
    pub wait_for: Option<TypedMode>,
    /// Give up after this long; 0s looks once
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = super::typed::duration, requires = "wait_for", help_heading = "Waiting")]
    pub timeout: Duration,
    #[command(flatten)]
    pub period: PeriodArgs,
    #[command(flatten)]
    pub table: LeaseTableArgs,

    /// How to print it
    #[arg(
        short,
        long,
        value_name = "FORMAT",
        default_value = "table",
        help_heading = "Output"
    )]
    pub format: MigrateFormat,
    /// When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Output"
    )]
    pub color: ColourChoice,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 finished, or nothing to finish, 1 a gate is shut, 2 it could not be done."
)]
pub struct MigrateFinishArgs {
    #[command(flatten)]
    pub connection: ConnectionArgs,

    /// Keep a copy of this plan beside it, marked as finished: FILE.finished
    #[arg(long, value_name = "FILE", help_heading = "Doing")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub period: PeriodArgs,
    #[command(flatten)]
    pub table: LeaseTableArgs,
    /// Show what stands in the way, and do nothing
    #[arg(long, help_heading = "Doing")]
    pub dry_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TypedMode {
    /// The old key alone
    Advisory,
    /// The lease, and the old key beside it
    Both,
    /// The lease alone
    Lease,
}

impl From<TypedMode> for Mode {
    fn from(typed: TypedMode) -> Self {
        match typed {
            TypedMode::Advisory => Self::Advisory,
            TypedMode::Both => Self::Both,
            TypedMode::Lease => Self::Lease,
        }
    }
}

fn reason(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("a reason has words: they are logged".to_owned()),
        words if words.contains('\0') => Err("a reason has no NUL byte".to_owned()),
        words => Ok(words.to_owned()),
    }
}
