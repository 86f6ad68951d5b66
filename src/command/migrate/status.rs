//! `lockaudit migrate status`: where each name stands, once, or until each is where a deploy waits for it.

use std::io::Write;
use std::time::Duration;

use anyhow::Result;

use super::led::{Led, lead};
use crate::cli::{MigrateFormat, MigrateStatusArgs};
use crate::command::output;
use crate::cutover::Calls;
use crate::cutover::outlook::{Outlook, Prospect};
use crate::exit::{Exit, Hint};
use crate::lease::Mode;
use crate::pg::cutover::Watcher;
use crate::render::{json, table};
use crate::text::printable;
use crate::{terminal, words};

const BETWEEN_LOOKS: Duration = Duration::from_secs(1);

/// Counting reads every statement's text, so not at each look: the counters keep what happened between.
const LOOKS_OF_ONE_COUNT: u32 = 15;

pub(super) fn run(args: &MigrateStatusArgs) -> Result<Exit> {
    lead((&args.connection, &args.table.table), async |led| {
        let (outlook, exit) = match args.wait_for {
            None => (
                look(led, args, led.cutover().calls().await?).await?,
                Exit::Clean,
            ),
            Some(mode) => wait(led, args, mode.into()).await?,
        };
        show(&outlook, args)?;
        Ok(exit)
    })
}

async fn look(led: &Led<'_>, args: &MigrateStatusArgs, calls: Calls) -> Result<Outlook> {
    let period = args.period.period;
    let positions = led.cutover().positions(args.name.as_ref()).await?;
    if let (Some(name), true) = (&args.name, positions.is_empty()) {
        let name = printable(name.as_str());
        return Err(Hint::error("without --name, all names are listed")
            .context(format!("there is no migration of `{name}`")));
    }
    Ok(Outlook {
        database: led.cutover().database().await?,
        table: args.table.table.quoted(),
        period,
        calls,
        names: positions
            .into_iter()
            .map(|position| Prospect::of(position, period))
            .collect(),
    })
}

/// The last that was seen, and whether every name was ready then.
async fn wait(led: &Led<'_>, args: &MigrateStatusArgs, mode: Mode) -> Result<(Outlook, Exit)> {
    let mut last = watch(led, args, None).await?;
    if last.names.is_empty() {
        return Err(
            Hint::error("`lockaudit migrate apply` makes the names of a plan known")
                .context("there is no name to wait for"),
        );
    }
    let ready = async {
        let mut looks = 0;
        while !is_ready(&last, mode) {
            tokio::time::sleep(BETWEEN_LOOKS).await;
            looks += 1;
            let counted = (looks % LOOKS_OF_ONE_COUNT != 0).then(|| last.calls.clone());
            last = watch(led, args, counted).await?;
        }
        Ok::<(), anyhow::Error>(())
    };
    // A look that is given up may have been written down: that harms nobody.
    let in_time = tokio::time::timeout(args.timeout, ready).await;
    match in_time {
        Ok(looked) => looked.map(|()| (last, Exit::Clean)),
        Err(_) => {
            terminal::note(&not_ready(&last, mode, args.timeout));
            Ok((last, Exit::Findings))
        }
    }
}

/// A look that is written down, by which gates open.
async fn watch(led: &Led<'_>, args: &MigrateStatusArgs, counted: Option<Calls>) -> Result<Outlook> {
    let calls = match counted {
        Some(calls) => calls,
        None => led.cutover().calls().await?,
    };
    led.cutover().watch(Watcher::Status, &calls).await?;
    look(led, args, calls).await
}

fn is_ready(outlook: &Outlook, mode: Mode) -> bool {
    outlook
        .names
        .iter()
        .all(|name| name.ready_for.contains(&mode))
}

fn not_ready(outlook: &Outlook, mode: Mode, timeout: Duration) -> String {
    let names = outlook.names.iter();
    let waiting = names.filter(|name| !name.ready_for.contains(&mode));
    let waiting: Vec<String> = waiting
        .map(|name| printable(name.position.name.as_str()))
        .collect();
    format!(
        "not ready for `{}` after {}: {}",
        mode.as_str(),
        words::duration(timeout),
        words::some_of(&waiting, 5)
    )
}

fn show(outlook: &Outlook, args: &MigrateStatusArgs) -> Result<()> {
    let style = terminal::style(args.color);
    output::write(None, |mut out: &mut dyn Write| match args.format {
        MigrateFormat::Table => table::cutover::status(outlook, style, &mut out),
        MigrateFormat::Json => json::migrate::status(outlook, &mut out),
    })
}
