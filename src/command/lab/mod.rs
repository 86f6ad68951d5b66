//! `lockaudit lab`: a known failure, replayed for real on a throwaway server.

mod application;
mod clients;
mod leases;
mod operator;
mod pods;
mod pool;
mod scan;
mod screen;
mod server;
mod stage;

use anyhow::{Context, Result};
use tokio::signal::ctrl_c;

use super::interrupt::unless_interrupted;
use super::output;
use crate::cli::{LabArgs, LabCommand, LabRunArgs};
use crate::exit::Exit;
use crate::lab::{self, SCENARIOS, Scenario};
use crate::pg::runtime;
use crate::render::narration;
use crate::render::style::Style;
use crate::terminal;
use scan::Scan;
use screen::show;
use server::Server;
use stage::Stage;

pub(super) fn run(args: &LabArgs) -> Result<Exit> {
    match &args.command {
        LabCommand::List => list(),
        LabCommand::Run(args) => run_scenario(args),
    }
}

fn list() -> Result<Exit> {
    output::write(None, |out| {
        SCENARIOS
            .iter()
            .try_for_each(|scenario| writeln!(out, "{:20}{}", scenario.name, scenario.summary))
    })?;
    Ok(Exit::Clean)
}

fn run_scenario(args: &LabRunArgs) -> Result<Exit> {
    let scenario = lab::scenario(&args.scenario);
    let scenario = scenario.with_context(|| lab::no_such_scenario(&args.scenario))?;
    let run = Run {
        scenario,
        scan: Scan::of(scenario, args.color),
        style: terminal::style(args.color),
    };
    let runtime = runtime()?;
    if args.keep {
        runtime.block_on(run.kept())
    } else {
        runtime.block_on(run.whole())
    }
}

struct Run {
    scenario: &'static Scenario,
    scan: Scan,
    style: Style,
}

impl Run {
    async fn whole(self) -> Result<Exit> {
        let Scenario { remedy, cure, .. } = self.scenario;
        let all = async {
            let mut stage = self.incident().await?;
            stage.play(remedy).await?;
            stage.play(cure).await
        };
        Ok(match unless_interrupted(all).await? {
            Some(()) => Exit::Clean,
            None => Exit::Interrupted,
        })
    }

    async fn kept(self) -> Result<Exit> {
        let Some(stage) = unless_interrupted(self.incident()).await? else {
            return Ok(Exit::Interrupted);
        };
        self.tell_how_to_look(&stage)?;
        ctrl_c().await.context("could not wait for Ctrl-C")?;
        Ok(Exit::Clean)
    }

    /// Starts a server and plays up to the scan.
    async fn incident(&self) -> Result<Stage> {
        let Scenario { name, summary, .. } = self.scenario;
        show(|out| narration::title(self.style, &format!("{name}: {summary}"), out))?;
        let server = Server::start().await?;
        let text = format!("PostgreSQL {}, started for this run", server.version());
        show(|out| narration::tell(self.style, &text, out))?;
        let mut stage = Stage::on(server, self.scan.clone(), self.style);
        stage.play(self.scenario.incident).await?;
        Ok(stage)
    }

    fn tell_how_to_look(&self, stage: &Stage) -> Result<()> {
        let look = stage.look();
        let lines = format!(
            "{}\npsql '{}'",
            self.scan.command_line(&look),
            look.connection
        );
        show(|out| {
            narration::tell(
                self.style,
                "The server stays as it is until Ctrl-C. From another terminal, as the same user:",
                out,
            )?;
            narration::command(self.style, &lines, out)
        })
    }
}
