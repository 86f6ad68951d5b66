//! `lockaudit keys`, as typed.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::terminal::ColourChoice;

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub struct KeysArgs {
    #[command(subcommand)]
    pub command: KeysCommand,
}

#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// Explain a key: how it looks in pg_locks and in the log, how it is given back, who takes it
    Explain(ExplainKeyArgs),
    /// Show the keys that a name gives, under every scheme and for known tools
    Derive(DeriveKeyArgs),
    /// List the tools that are known to take advisory locks, and their keys
    List(ListToolsArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
A KEY is a bigint (72707369, 0x4556c69), two integers (-7 -42 or -7,-42), a row of pg_locks as
classid/objid/objsubid (18028/1462734915/1), or a log line that holds [database,classid,objid,objsubid].
Two integers are one key of two halves; to ask for two bigints, ask twice.")]
pub struct ExplainKeyArgs {
    /// The key; several may be asked for
    #[arg(required = true, value_name = "KEY", allow_negative_numbers = true)]
    pub key: Vec<String>,
    /// The name of the lock's database (repeat for others): some keys are made of it
    #[arg(long, value_name = "NAME", value_parser = super::typed::database_name)]
    pub database: Vec<String>,
    /// A name that the lock may have (repeat for others), tried under every scheme
    #[arg(long, value_name = "NAME")]
    pub name: Vec<String>,
    /// A schema that the tool may work in (repeat for others), beside public
    #[arg(long, value_name = "NAME")]
    pub schema: Vec<String>,
    /// Your names for locks: see docs/names.md
    #[arg(long, value_name = "FILE")]
    pub names: Vec<PathBuf>,
    #[command(flatten)]
    pub output: KeysOutputArgs,
}

#[derive(Debug, Args)]
pub struct DeriveKeyArgs {
    /// The name that the application gives the lock
    pub name: String,
    /// The database's name, for the tools that make their key of it
    #[arg(long, value_name = "NAME", value_parser = super::typed::database_name)]
    pub database: Option<String>,
    /// The seed of hashtextextended
    #[arg(
        long,
        value_name = "N",
        default_value = "0",
        allow_negative_numbers = true
    )]
    pub seed: i64,
    /// The first half of a pair whose second is the name's hash
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub namespace: Option<i32>,
    #[command(flatten)]
    pub output: KeysOutputArgs,
}

#[derive(Debug, Args)]
pub struct ListToolsArgs {
    /// A tool's id, or the beginning of its name: all that is known of it
    pub tool: Option<String>,
    #[command(flatten)]
    pub output: KeysOutputArgs,
}

#[derive(Debug, Args)]
pub struct KeysOutputArgs {
    /// How to show the result
    #[arg(
        short,
        long,
        value_name = "FORMAT",
        default_value = "table",
        help_heading = "Output"
    )]
    pub format: KeysFormat,
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
pub enum KeysFormat {
    /// For people
    Table,
    /// For programs: schema/keys.json
    Json,
}
