//! `lockaudit scan`, as typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::ConnectionArgs;
use crate::terminal::ColourChoice;

#[derive(Debug, Args)]
pub struct ScanArgs {
    #[command(flatten)]
    pub connection: ConnectionArgs,

    /// Ask the console of this PgBouncer too: who is behind each connection of its pools (URI or conninfo; its
    /// database is pgbouncer, a role of stats_users is enough; repeat for others, one console a process)
    #[arg(
        long,
        value_name = "DSN",
        conflicts_with = "input",
        help_heading = "Looking"
    )]
    pub pgbouncer: Vec<String>,
    /// Take this many samples: more than one proves scopes and shared backends
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1000), conflicts_with = "input", help_heading = "Looking")]
    pub samples: u32,
    /// Time between two samples
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = super::typed::duration, conflicts_with = "input", help_heading = "Looking")]
    pub interval: Duration,
    /// Judge a snapshot that --save wrote, or the CSV that psql made of --print-sql; `-` is stdin
    #[arg(long, value_name = "FILE", help_heading = "Looking")]
    pub input: Option<PathBuf>,
    /// Save what was seen, for --input (readable by the owner only; --query none keeps texts out)
    #[arg(long, value_name = "FILE", help_heading = "Looking")]
    pub save: Option<PathBuf>,
    /// Print the SQL for a machine where only psql runs, and leave
    #[arg(long, help_heading = "Looking")]
    pub print_sql: bool,

    /// Connections in the pool of one instance of this application (repeat for others)
    #[arg(long, value_name = "APPLICATION_NAME=N", value_parser = pool_size, help_heading = "Judging")]
    pub pool_size: Vec<(String, u32)>,
    /// The budget file, for the sizes of pools: see docs/budget.md
    #[arg(long, value_name = "FILE", help_heading = "Judging")]
    pub budget: Option<PathBuf>,
    /// An idle holder that nobody waits for is only a remark before this
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = super::typed::duration, help_heading = "Judging")]
    pub idle_after: Duration,
    /// Your names for locks, and how keys are made of them: see docs/names.md (repeat for others)
    #[arg(long, value_name = "FILE", help_heading = "Judging")]
    pub names: Vec<PathBuf>,
    /// Who is meant to hold which lock, in the same format (repeat for others)
    #[arg(long, value_name = "FILE", help_heading = "Judging")]
    pub expect: Vec<PathBuf>,
    /// Only locks of this database (repeat for others)
    #[arg(long, value_name = "NAME", value_parser = super::typed::database_name, help_heading = "Judging")]
    pub database: Vec<String>,
    /// Only this rule (repeat for others)
    #[arg(long, value_name = "RULE", help_heading = "Judging")]
    pub include: Vec<String>,
    /// All rules but this one (repeat for others)
    #[arg(long, value_name = "RULE", help_heading = "Judging")]
    pub exclude: Vec<String>,
    /// Exit with 1 from this severity on
    #[arg(
        long,
        value_name = "SEVERITY",
        default_value = "warning",
        help_heading = "Judging"
    )]
    pub fail_on: Threshold,
    /// Exit with 2 when something that bears on the verdict could not be seen
    #[arg(long, help_heading = "Judging")]
    pub strict: bool,

    /// How to show the result
    #[arg(
        short,
        long,
        value_name = "FORMAT",
        default_value = "table",
        help_heading = "Output"
    )]
    pub format: Format,
    /// Write the result to this file, whole or not at all
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// How much of the sessions' query texts to read and show
    #[arg(
        long,
        value_name = "DETAIL",
        default_value = "short",
        help_heading = "Output"
    )]
    pub query: QueryDetail,
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
pub enum Threshold {
    Info,
    Warning,
    Critical,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people: the verdict first
    Table,
    /// For programs: see `lockaudit schema`
    Json,
    /// For streams: the objects of the JSON document, one a line, each with its `type`
    Ndjson,
    /// For spreadsheets: the advisory locks, held and waited for
    Csv,
    /// For an incident channel: verdict, findings, locks, pools
    Markdown,
    /// The wait graph, for Graphviz
    Dot,
    /// The wait graph, for Mermaid
    Mermaid,
    /// For the post-mortem: one page that needs no network
    Html,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum QueryDetail {
    /// Not even read from the server
    None,
    /// The first 200 characters
    Short,
    Full,
}

fn pool_size(text: &str) -> Result<(String, u32), String> {
    let (name, size) = text
        .rsplit_once('=')
        .ok_or("write APPLICATION_NAME=N, for example --pool-size api=4")?;
    match size.parse::<u32>() {
        Ok(size @ 1..) => Ok((name.to_owned(), size)),
        _ => Err(format!(
            "`{size}` is not a number of connections (1 or more)"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_size_is_a_name_and_a_number() {
        assert_eq!(pool_size("api=4"), Ok(("api".to_owned(), 4)));
        assert_eq!(pool_size("a=b=4"), Ok(("a=b".to_owned(), 4)));
        for wrong in ["api", "api=", "api=0", "api=-1", "api=many"] {
            assert!(pool_size(wrong).is_err(), "{wrong}");
        }
    }
}
