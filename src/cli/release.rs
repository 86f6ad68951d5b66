//! `lockaudit release`, as typed.

use clap::Args;

use super::ConnectionArgs;
use crate::key::spelled::Asked;
use crate::terminal::ColourChoice;

/// Shows who holds the key, who is freed and what else goes, asks, and ends that one session by one
/// statement, which checks that it is still the session that was shown, in the same state, with the
/// same lock.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 ended (or told to leave it), 1 the holder had changed and was left alone, 2 it could not be done, 130 Ctrl-C."
)]
pub struct ReleaseArgs {
    #[command(flatten)]
    pub connection: ConnectionArgs,

    /// The session that holds the key
    #[arg(
        long,
        value_name = "PID",
        required_unless_present = "gid",
        conflicts_with = "gid",
        help_heading = "Holder"
    )]
    pub pid: Option<i32>,
    /// The prepared transaction that holds it: shows the way out, and ends nothing
    #[arg(long, value_name = "GID", help_heading = "Holder")]
    pub gid: Option<String>,
    /// The key: 42, -7,-42 (two integers), CLASSID/OBJID/OBJSUBID or [DATABASE,…] of a log line
    #[arg(
        long,
        value_name = "KEY",
        allow_hyphen_values = true,
        help_heading = "Holder"
    )]
    pub key: Asked,
    /// The database of the lock, if it is not the connected one
    #[arg(long, value_name = "NAME", value_parser = super::typed::database_name, help_heading = "Holder")]
    pub database: Option<String>,

    /// Do not ask
    #[arg(short = 'y', long, help_heading = "Doing")]
    pub yes: bool,
    /// Print the statement for psql, and do nothing
    #[arg(long, conflicts_with = "yes", help_heading = "Doing")]
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
