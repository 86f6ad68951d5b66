//! `lockaudit migrate advance` and `rollback`: shows the gates of a step, and makes it if they are open.

use std::io::Write;

use anyhow::{Context, Result};

use super::led::{Led, lead};
use crate::cli::MigrateStepArgs;
use crate::command::output;
use crate::cutover::commands;
use crate::cutover::gate::shut_now;
use crate::cutover::outlook::Considered;
use crate::cutover::{Direction, Position};
use crate::exit::{Exit, Hint};
use crate::lease::Mode;
use crate::pg::cutover::Stepped;
use crate::render::table;
use crate::terminal;
use crate::text::printable;

pub(super) fn run(direction: Direction, args: &MigrateStepArgs) -> Result<Exit> {
    lead((&args.connection, &args.table.table), async |led| {
        let mut exit = Exit::Clean;
        for position in positions(led, args).await? {
            let name = printable(position.name.as_str());
            let made = one(led, args, (direction, &position)).await;
            if made.with_context(|| format!("could not move `{name}`"))? == Exit::Findings {
                exit = Exit::Findings;
            }
        }
        Ok(exit)
    })
}

async fn positions(led: &Led<'_>, args: &MigrateStepArgs) -> Result<Vec<Position>> {
    let positions = led.cutover().positions(args.name.as_ref()).await?;
    match &args.name {
        Some(name) if positions.is_empty() => Err(Hint::error(
            "`lockaudit migrate status` lists the names",
        )
        .context(format!(
            "there is no migration of `{}`",
            printable(name.as_str())
        ))),
        _ => Ok(positions),
    }
}

async fn one(
    led: &Led<'_>,
    args: &MigrateStepArgs,
    (direction, position): (Direction, &Position),
) -> Result<Exit> {
    let considered = match Considered::of(direction, position, args.period.period) {
        Some(considered) if args.to.map(Mode::from) != Some(position.mode) => considered,
        _ => return settled(args, position),
    };
    let wanted = args.to.map_or(considered.step.to, Mode::from);
    if wanted != considered.step.to {
        let far = format!(
            "`{}` is in `{}`, and `{}` is not one step away: `{}` first",
            printable(position.name.as_str()),
            position.mode.as_str(),
            wanted.as_str(),
            considered.step.to.as_str()
        );
        say(&[far], args)?;
        return Ok(Exit::Findings);
    }
    show(&considered, position, args)?;
    let forced = args.force.is_some() && considered.may_be_forced();
    if !considered.is_open() && !forced {
        say(&shut(&considered, position, args), args)?;
        return Ok(Exit::Findings);
    }
    if args.dry_run {
        say(&["nothing done: it would be moved".to_owned()], args)?;
        return Ok(Exit::Clean);
    }
    make(led, args, (&considered, position)).await
}

fn settled(args: &MigrateStepArgs, position: &Position) -> Result<Exit> {
    let name = printable(position.name.as_str());
    let mode = position.mode;
    let there = args.to.is_none_or(|to| Mode::from(to) == mode);
    let nothing = format!("`{name}` is in `{}`: there is nothing to do", mode.as_str());
    say(&[nothing], args)?;
    Ok(if there { Exit::Clean } else { Exit::Findings })
}

async fn make(
    led: &Led<'_>,
    args: &MigrateStepArgs,
    (considered, position): (&Considered, &Position),
) -> Result<Exit> {
    let reason = reason(args, considered);
    let why = (led.who.as_str(), reason.as_deref());
    let stepped = led
        .cutover()
        .step(&position.name, considered.step, why)
        .await?
        .context("it is gone")?;
    if stepped.moved {
        say(&[moved(considered, position, args)], args)?;
        return Ok(Exit::Clean);
    }
    say(&[changed(considered, stepped)], args)?;
    Ok(Exit::Findings)
}

/// What is true from now on, and what to wait for before old code may start.
fn moved(considered: &Considered, position: &Position, args: &MigrateStepArgs) -> String {
    let step = considered.step;
    let moved = format!("moved: {}", step.afterwards());
    match step.from {
        Mode::Lease => format!("{moved}: `{}`", wait_for(step.to, position, args)),
        Mode::Advisory | Mode::Both => moved,
    }
}

fn wait_for(mode: Mode, position: &Position, args: &MigrateStepArgs) -> String {
    let table = args.table.table.quoted();
    commands::wait_for(mode, &position.name, &table, args.period.period)
}

/// For the log: what it stands for, and the words.
fn reason(args: &MigrateStepArgs, considered: &Considered) -> Option<String> {
    let reason = args.force.as_ref()?;
    let past: Vec<&str> = considered
        .in_the_way()
        .map(|judged| judged.gate.as_str())
        .collect();
    Some(match past.is_empty() {
        true => reason.clone(),
        false => format!("forced past {}: {reason}", past.join(", ")),
    })
}

fn show(considered: &Considered, position: &Position, args: &MigrateStepArgs) -> Result<()> {
    let style = terminal::style(args.color);
    output::write(None, |mut out: &mut dyn Write| {
        let step = considered.step;
        let name = printable(position.name.as_str());
        let title = format!("{name}: {} → {}", step.from.as_str(), step.to.as_str());
        writeln!(out, "{}", style.heading(&title))?;
        table::cutover::gates(&considered.gates, style, &mut out)
    })
}

/// What to do about the gates that are not open.
fn shut(considered: &Considered, position: &Position, args: &MigrateStepArgs) -> Vec<String> {
    let names: Vec<&str> = considered
        .in_the_way()
        .map(|judged| judged.gate.as_str())
        .collect();
    let mut lines = vec![format!(
        "not moved: `{}` stays in `{}`, since not every gate is open: {}",
        printable(position.name.as_str()),
        position.mode.as_str(),
        names.join(", ")
    )];
    if considered.may_be_forced() {
        lines.push(format!(
            "next: `{}` watches until they are; --force REASON stands in for what can't be seen",
            wait_for(considered.step.to, position, args)
        ));
    } else {
        lines.push(
            "next: end or await what is seen (`lockaudit scan` says whose it is); no reason opens these gates".to_owned(),
        );
    }
    lines
}

/// It was as it should be, and was not any more when the row was locked.
fn changed(considered: &Considered, stepped: Stepped) -> String {
    if stepped.was != considered.step.from {
        let was = stepped.was.as_str();
        return format!("not moved: somebody else took it to `{was}` meanwhile");
    }
    let shut = shut_now(considered.step, stepped.moment);
    let shut: Vec<&str> = shut.into_iter().map(|gate| gate.as_str()).collect();
    format!("not moved: shut meanwhile: {}", shut.join(", "))
}

fn say(lines: &[String], args: &MigrateStepArgs) -> Result<()> {
    let style = terminal::style(args.color);
    output::write(None, |mut out: &mut dyn Write| {
        table::cutover::outcome(lines, style, &mut out)
    })
}
