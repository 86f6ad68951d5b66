//! `lockaudit lab`, as typed.

use clap::{Args, Subcommand};

use crate::terminal::ColourChoice;

#[derive(Debug, Args)]
pub struct LabArgs {
    #[command(subcommand)]
    pub command: LabCommand,
}

#[derive(Debug, Subcommand)]
pub enum LabCommand {
    /// List the scenarios
    List,
    /// Run a scenario on a throwaway PostgreSQL, and the real scan on it
    Run(LabRunArgs),
}

#[derive(Debug, Args)]
pub struct LabRunArgs {
    /// The scenario's name (see `lockaudit lab list`)
    pub scenario: String,
    /// Stop at the incident, leave the server up and print how to connect; Ctrl-C ends it
    #[arg(long)]
    pub keep: bool,
    /// When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: ColourChoice,
}
