//! `lockaudit budget`, as typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::ConnectionArgs;
use crate::terminal::ColourChoice;

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub struct BudgetArgs {
    #[command(subcommand)]
    pub command: BudgetCommand,
}

#[derive(Debug, Subcommand)]
pub enum BudgetCommand {
    /// Add up what all roles may open, and say whether the server has room for it
    Check(Box<BudgetCheckArgs>),
    /// Draw the budget as bars, without a deploy and during one
    Show(Box<BudgetShowArgs>),
    /// Say what would fit: the largest pools, the most nodes, the smallest max_connections
    Fit(Box<BudgetFitArgs>),
    /// Write a file to start from, with every key explained
    Init(BudgetInitArgs),
    /// Begin a file from Kubernetes manifests: a role for each pool that pods have
    Import(Box<BudgetImportArgs>),
}

/// Where the plan comes from: a file, or the command line.
#[derive(Debug, Args)]
#[command(next_help_heading = "Plan")]
pub struct PlanArgs {
    /// The budget file: see docs/budget.md [default: budget.toml, without --role]
    #[arg(value_name = "FILE", conflicts_with = "role")]
    pub file: Option<PathBuf>,
    /// A role, instead of a file: NAME:nodes=N,pool=N[,processes=N,overflow=N,extra=N] (repeat for others)
    #[arg(long, value_name = "ROLE", value_parser = role)]
    pub role: Vec<TypedRole>,
    /// How often every instance exists during a deploy: 2, or "150%"
    #[arg(long, value_name = "N", default_value = "2", value_parser = overlap, conflicts_with = "file", requires = "role")]
    pub overlap: u64,
    /// max_connections of the server
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=262_143), conflicts_with = "file", requires = "role")]
    pub max_connections: Option<u32>,
    /// superuser_reserved_connections of the server [default: 3]
    #[arg(long, value_name = "N", conflicts_with = "file", requires = "role")]
    pub superuser_reserved: Option<u32>,
    /// reserved_connections of the server (PostgreSQL 16 and later) [default: 0]
    #[arg(long, value_name = "N", conflicts_with = "file", requires = "role")]
    pub reserved: Option<u32>,
    /// Slots that the provider keeps beyond those two [default: 0]
    #[arg(long, value_name = "N")]
    pub provider_reserved: Option<u32>,
    /// Slots that must stay free at the peak
    #[arg(long, value_name = "N")]
    pub min_free: Option<u32>,

    /// Read the server's numbers, and compare the plan with who is connected
    #[arg(long, help_heading = "Live")]
    pub live: bool,
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// `api:nodes=2,pool=4`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedRole {
    pub name: String,
    pub nodes: u64,
    pub processes: u64,
    pub pool: u64,
    pub overflow: u64,
    pub extra: u64,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 it fits (there may be warnings), 1 it does not, 2 the check could not be made.
Codes and the file's format: docs/budget.md")]
pub struct BudgetCheckArgs {
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Exit with 1 for warnings too
    #[arg(long, help_heading = "Judging", conflicts_with = "exit_zero")]
    pub strict: bool,
    /// Exit with 0 whatever is found; 2 stays 2
    #[arg(long, help_heading = "Judging")]
    pub exit_zero: bool,
    /// How to show the result
    #[arg(
        short,
        long,
        value_name = "FORMAT",
        default_value = "text",
        help_heading = "Output"
    )]
    pub format: BudgetFormat,
    #[command(flatten)]
    pub output: BudgetOutputArgs,
}

#[derive(Debug, Args)]
pub struct BudgetShowArgs {
    #[command(flatten)]
    pub plan: PlanArgs,
    /// How to draw it
    #[arg(
        short,
        long,
        value_name = "FORMAT",
        default_value = "text",
        help_heading = "Output"
    )]
    pub format: DrawingFormat,
    #[command(flatten)]
    pub output: BudgetOutputArgs,
}

#[derive(Debug, Args)]
pub struct BudgetFitArgs {
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Only what this role may have (repeat for others)
    #[arg(long, value_name = "NAME", help_heading = "Plan")]
    pub of: Vec<String>,
    #[command(flatten)]
    pub output: BudgetOutputArgs,
}

#[derive(Debug, Args)]
pub struct BudgetInitArgs {
    /// The file to write; one that exists is left alone
    #[arg(value_name = "FILE", default_value = "budget.toml")]
    pub file: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "\
What the manifests do not say is \"?\" in the file, with the reason beside it, and
`lockaudit budget check` refuses it there until it is a number.

    kubectl get deploy,sts,ds,cronjob,job,hpa,cm -o yaml >cluster.yaml
    lockaudit budget import cluster.yaml --pool-env DB_POOL -o budget.toml
    helm template . | lockaudit budget import - --pool-env DB_POOL

Exit status: 0 the file is written, 2 it could not be")]
pub struct BudgetImportArgs {
    /// Manifests, as `kubectl get -o yaml` or `helm template` print them, YAML or JSON; `-` is stdin
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// The variable that has the size of a process's pool (repeat for others: the first counts that a
    /// container has); each container that has it becomes a role
    #[arg(long, value_name = "NAME", value_parser = variable, help_heading = "Numbers")]
    pub pool_env: Vec<String>,
    /// The variable that says what the pool may open beyond its size (SQLAlchemy's max_overflow)
    #[arg(long, value_name = "NAME", value_parser = variable, help_heading = "Numbers")]
    pub overflow_env: Vec<String>,
    /// The variable that says how many processes a container runs; one where it is not set
    #[arg(long, value_name = "NAME", value_parser = variable, help_heading = "Numbers")]
    pub processes_env: Vec<String>,
    /// The most that one process of a role opens, whatever its variables say: ROLE=N (repeat)
    #[arg(long, value_name = "ROLE=N", value_parser = pool_of, help_heading = "Numbers")]
    pub pool: Vec<(String, u64)>,
    /// A role that does not connect to this server (repeat)
    #[arg(long, value_name = "ROLE", help_heading = "Numbers")]
    pub skip: Vec<String>,
    /// Nodes of the cluster, for a DaemonSet
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Numbers")]
    pub nodes: Option<u32>,
    /// Runs at the same moment of a CronJob whose concurrencyPolicy is Allow
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Numbers")]
    pub overlapping_runs: Option<u32>,
    /// How soon a deploy may follow another: with the grace period it says how many overlap
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration, help_heading = "Numbers")]
    pub deploy_every: Option<Duration>,
    /// max_connections of the server
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=262_143), help_heading = "Numbers")]
    pub max_connections: Option<u32>,

    /// Write to this file, whole or not at all; one that exists is left alone
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Write anew a file that exists
    #[arg(long, requires = "output", help_heading = "Output")]
    pub force: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct BudgetOutputArgs {
    /// Write the result to this file, whole or not at all
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// When to use colour (NO_COLOR and CLICOLOR_FORCE are heeded)
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: ColourChoice,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BudgetFormat {
    /// For people
    Text,
    /// For programs: schema/budget.json
    Json,
    /// Annotations in a pull request
    Github,
    /// Test results, a case for each check
    Junit,
    /// For code scanning
    Sarif,
    /// For a comment or a page
    Markdown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DrawingFormat {
    /// For people
    Text,
    /// A picture
    Svg,
    /// A page that needs nothing else
    Html,
}

fn role(text: &str) -> Result<TypedRole, String> {
    const EXAMPLE: &str = "write NAME:nodes=N,pool=N, for example api:nodes=2,pool=4";
    let (name, settings) = text.split_once(':').ok_or(EXAMPLE)?;
    let mut found = Settings::default();
    for setting in settings.split(',') {
        let (key, value) = setting.split_once('=').ok_or(EXAMPLE)?;
        found.set(key.trim(), value.trim())?;
    }
    match (name.trim(), found.nodes, found.pool) {
        ("", _, _) => Err(format!("a role needs a name: {EXAMPLE}")),
        (_, None, _) => Err(format!("nodes is missing: {EXAMPLE}")),
        (_, _, None) => Err(format!("pool is missing: {EXAMPLE}")),
        (name, Some(nodes), Some(pool)) => Ok(TypedRole {
            name: name.to_owned(),
            nodes,
            pool,
            processes: found.processes.unwrap_or(1),
            overflow: found.overflow.unwrap_or(0),
            extra: found.extra.unwrap_or(0),
        }),
    }
}

#[derive(Default)]
struct Settings {
    nodes: Option<u64>,
    processes: Option<u64>,
    pool: Option<u64>,
    overflow: Option<u64>,
    extra: Option<u64>,
}

impl Settings {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let (place, least) = match key {
            "nodes" => (&mut self.nodes, 1),
            "processes" => (&mut self.processes, 1),
            "pool" => (&mut self.pool, 1),
            "overflow" => (&mut self.overflow, 0),
            "extra" => (&mut self.extra, 0),
            other => {
                return Err(format!(
                    "`{other}` is none of nodes, processes, pool, overflow, extra (a file can say more)"
                ));
            }
        };
        if place.is_some() {
            return Err(format!("{key} is there twice"));
        }
        match value.parse::<u32>() {
            Ok(number) if u64::from(number) >= least => *place = Some(number.into()),
            _ => {
                return Err(format!(
                    "`{key}={value}` is not a whole number, {least} or more"
                ));
            }
        }
        Ok(())
    }
}

/// A name as programs ask for it.
fn variable(text: &str) -> Result<String, String> {
    match text.is_empty() || text.contains('=') {
        true => Err("write the name of a variable, for example DB_POOL".to_owned()),
        false => Ok(text.to_owned()),
    }
}

/// `web=5`; a role's name may hold anything.
fn pool_of(text: &str) -> Result<(String, u64), String> {
    let (role, pool) = text.rsplit_once('=').unwrap_or_default();
    match pool.parse::<u32>() {
        Ok(pool @ 1..) if !role.is_empty() => Ok((role.to_owned(), pool.into())),
        _ => Err("write ROLE=N, for example web=5".to_owned()),
    }
}

/// In per cent.
fn overlap(text: &str) -> Result<u64, String> {
    let percent = match text.strip_suffix('%') {
        Some(percent) => percent.parse::<u32>().map(u64::from),
        None => text.parse::<u32>().map(|times| u64::from(times) * 100),
    };
    match percent {
        Ok(percent @ 100..) => Ok(percent),
        _ => Err(
            "write how often every instance exists: 1 (no overlap), 2 (twice) or 150%".to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_a_name_and_its_numbers() {
        let read = role("api:nodes=2,pool=4,overflow=10").expect("it is one");
        assert_eq!((read.name.as_str(), read.nodes, read.pool), ("api", 2, 4));
        assert_eq!((read.processes, read.overflow, read.extra), (1, 10, 0));
        for wrong in [
            "api",
            "api:",
            ":nodes=1,pool=1",
            "api:nodes=2",
            "api:pool=2",
            "api:nodes=2,pool=-1",
            "api:nodes=2,pool=0",
            "api:nodes=2,pool=4,pool=5",
            "api:nodes=2,pool=4,surge=2",
            "api:nodes=2,pool=1.5",
        ] {
            assert!(role(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_pool_is_a_role_and_a_number() {
        assert_eq!(pool_of("web=5"), Ok(("web".to_owned(), 5)));
        assert_eq!(pool_of("a=b=5"), Ok(("a=b".to_owned(), 5)));
        for wrong in ["", "web", "web=", "=5", "web=0", "web=-1", "web=5.0"] {
            assert!(pool_of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_overlap_is_a_multiple_or_per_cent() {
        assert_eq!(overlap("2"), Ok(200));
        assert_eq!(overlap("1"), Ok(100));
        assert_eq!(overlap("150%"), Ok(150));
        for wrong in ["0", "1.5", "-1", "50%", "twice", ""] {
            assert!(overlap(wrong).is_err(), "{wrong}");
        }
    }
}
