//! The real scan of the lab's server: the command line that is shown is the one that is run.

use anyhow::{Context, Result, bail};
use clap::Parser;

use super::screen::show;
use crate::cli::{Cli, Command, ScanArgs};
use crate::command::audit;
use crate::lab::Scenario;
use crate::render::narration;
use crate::render::style::Style;
use crate::terminal::ColourChoice;

/// What a scenario's scan is told about its instances.
#[derive(Clone)]
pub(super) struct Scan {
    pool_sizes: Vec<String>,
    colour: ColourChoice,
}

/// Where the scan looks.
pub(super) struct Look {
    pub connection: String,
    pub console: Option<String>,
}

/// What the scan found.
pub(super) struct Scanned {
    pub rules: Vec<&'static str>,
    /// The first one that a finding advises.
    pub statement: Option<String>,
}

impl Scan {
    pub(super) fn of(scenario: &Scenario, colour: ColourChoice) -> Self {
        let sizes = scenario.instances();
        Self {
            pool_sizes: sizes.map(|it| format!("{}={}", it.name, it.pool)).collect(),
            colour,
        }
    }

    /// As it can be typed.
    pub(super) fn command_line(&self, look: &Look) -> String {
        let sizes = self.pool_sizes.iter();
        let sizes: String = sizes.map(|size| format!(" --pool-size {size}")).collect();
        let console = look.console.iter();
        let console: String = console
            .map(|console| format!(" --pgbouncer '{console}'"))
            .collect();
        format!("lockaudit scan{sizes}{console} '{}'", look.connection)
    }

    /// Shows the command line, runs it and shows its result.
    pub(super) async fn run(&self, look: &Look, style: Style) -> Result<Scanned> {
        let line = self.command_line(look);
        show(|out| narration::command(style, &line, out))?;
        let args = self.arguments(look)?;
        // A scan drives a runtime of its own.
        let scanned = tokio::task::spawn_blocking(move || scan(&args)).await;
        scanned.context("the scan panicked")?
    }

    fn arguments(&self, look: &Look) -> Result<Box<ScanArgs>> {
        let mut words = vec!["lockaudit", "scan"];
        for size in &self.pool_sizes {
            words.extend(["--pool-size", size]);
        }
        if let Some(console) = &look.console {
            words.extend(["--pgbouncer", console]);
        }
        words.push(&look.connection);
        match Cli::try_parse_from(words)?.command {
            Command::Scan(mut args) => {
                args.color = self.colour;
                Ok(args)
            }
            _ => bail!("the lab's scan was read as another command"),
        }
    }
}

fn scan(args: &ScanArgs) -> Result<Scanned> {
    let observed = audit::look(args)?;
    let expectations = audit::expectations(args)?;
    let report = audit::judge(&observed, &expectations, args)?;
    audit::show(&report, args)?;
    let mut advice = report.findings.iter().flat_map(|finding| &finding.advice);
    Ok(Scanned {
        rules: report.findings.iter().map(|finding| finding.rule).collect(),
        statement: advice.find_map(|advice| advice.sql.clone()),
    })
}
