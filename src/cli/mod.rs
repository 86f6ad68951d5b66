//! The command line, as typed. What it means is worked out in `command`.

mod budget;
mod connection;
mod cutover;
mod fence;
mod keys;
mod lab;
mod lease;
mod lease_run;
mod migrate;
mod release;
mod scan;
mod typed;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub use budget::{
    BudgetArgs, BudgetCheckArgs, BudgetCommand, BudgetFitArgs, BudgetFormat, BudgetImportArgs,
    BudgetInitArgs, BudgetOutputArgs, BudgetShowArgs, DrawingFormat, PlanArgs, TypedRole,
};
pub use connection::ConnectionArgs;
pub use cutover::{
    MigrateAdvanceArgs, MigrateApplyArgs, MigrateFinishArgs, MigrateRollbackArgs,
    MigrateStatusArgs, MigrateStepArgs, PeriodArgs, TypedMode,
};
pub use fence::{FenceFormat, MigrateFenceArgs};
pub use keys::{
    DeriveKeyArgs, ExplainKeyArgs, KeysArgs, KeysCommand, KeysFormat, KeysOutputArgs, ListToolsArgs,
};
pub use lab::{LabArgs, LabCommand, LabRunArgs};
pub use lease::{
    LeaseArgs, LeaseBreakArgs, LeaseCheckArgs, LeaseCommand, LeaseFormat, LeaseHistoryArgs,
    LeaseInitArgs, LeaseListArgs, LeaseOutputArgs, LeasePruneArgs, LeaseReleaseArgs,
    LeaseRenewArgs, LeaseTableArgs, LeaseTakeArgs, LeaseTermFormat, LeaseTermOutputArgs, TermArgs,
};
pub use lease_run::LeaseRunArgs;
pub use migrate::{MigrateArgs, MigrateCommand, MigrateFormat, MigratePlanArgs};
pub use release::ReleaseArgs;
pub use scan::{Format, QueryDetail, ScanArgs, Threshold};
pub use typed::{parse, runs_a_command};

/// Finds advisory-lock starvation in PostgreSQL: who holds, who waits, which pool is starved.
#[derive(Debug, Parser)]
#[command(
    name = "lockaudit",
    version,
    disable_help_flag = true,
    disable_version_flag = true,
    disable_help_subcommand = true,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "Exit status: 0 nothing at or above --fail-on, 1 findings, 2 the question could not be answered."
)]
pub struct Cli {
    #[command(flatten)]
    pub help: HelpArgs,
    #[command(subcommand)]
    pub command: Command,
}

/// `-h` is the host, as in every libpq tool, so help is `-?`.
#[derive(Debug, Args)]
pub struct HelpArgs {
    /// Print help
    #[arg(short = '?', long, action = ArgAction::Help, global = true, help_heading = "Help")]
    help: Option<bool>,
    /// Print the version
    #[arg(short = 'V', long, action = ArgAction::Version, help_heading = "Help")]
    version: Option<bool>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Audit advisory locks now: who holds, who waits, which pool is starved, what to do next
    Scan(Box<ScanArgs>),
    /// Say whose key a lock has, or which key a name would give
    Keys(KeysArgs),
    /// End one holder of an advisory lock, guarded: only if it is still what was shown
    Release(Box<ReleaseArgs>),
    /// Check that all pools together fit the server, and that none can starve itself
    Budget(BudgetArgs),
    /// Work under leases: rows that hold no connection, in the place of advisory locks
    Lease(LeaseArgs),
    /// Move from advisory keys to lease rows, step by step
    Migrate(MigrateArgs),
    /// Explain a rule: what it finds, how sure it is, what to do
    Explain(ExplainArgs),
    /// Replay a known failure, live, on a throwaway server
    Lab(LabArgs),
    /// Print the JSON Schema of a command's `--format json`
    Schema(SchemaArgs),
    /// Print shell completions
    Completions(CompletionsArgs),
    /// Print the man page of a command
    Man(ManArgs),
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The rule's name; without one, all rules are listed
    pub rule: Option<String>,
}

#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// The command whose documents it describes
    #[arg(default_value = "scan")]
    pub command: SchemaOf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaOf {
    Scan,
    Keys,
    Budget,
    Lease,
    Migrate,
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// A command: `scan`, `lab run`; without one, lockaudit itself
    pub command: Vec<String>,
}
