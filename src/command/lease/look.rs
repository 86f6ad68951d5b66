//! What only reads: list, check, history.

use std::io::Write;

use anyhow::Result;

use super::change::{for_eval, show};
use super::session::{Touch, ask};
use crate::cli::{LeaseCheckArgs, LeaseFormat, LeaseHistoryArgs, LeaseListArgs};
use crate::command::output;
use crate::exit::Exit;
use crate::pg::lease as server;
use crate::render::{json, lease as words, table};
use crate::terminal;

pub(super) fn list(args: &LeaseListArgs) -> Result<Exit> {
    let style = terminal::style(args.output.color);
    ask(
        (&args.connection, &args.table.table),
        Touch::Reads,
        async |leases| leases.list().await,
        |listed| {
            output::write(None, |mut out: &mut dyn Write| match args.output.format {
                LeaseFormat::Table => table::leases::listed(&listed, style, &mut out),
                LeaseFormat::Json => json::lease::listed(&listed, &mut out),
            })?;
            Ok(Exit::Clean)
        },
    )
}

pub(super) fn check(args: &LeaseCheckArgs) -> Result<Exit> {
    let asked = ask(
        (&args.connection, &args.table.table),
        Touch::ReadsWhatHolds,
        async |leases| {
            let (holder, token) = (args.holder.as_ref(), args.token);
            let held = leases.check(&args.name, holder, token).await?;
            let held = held.filter(|(_, left)| !left.remaining.is_zero());
            let seen = match held {
                Some(_) => None,
                None => leases.probe(&args.name).await?,
            };
            Ok((held, seen))
        },
        |(held, seen)| {
            let valid = held.as_ref().map(|(term, left)| (term, *left));
            show(args.output.format, valid, None)?;
            if held.is_some() {
                return Ok(Exit::Clean);
            }
            terminal::note(&words::not_valid(&args.name, seen.as_ref()));
            Ok(Exit::Findings)
        },
    );
    for_eval(args.output.format, asked)
}

pub(super) fn history(args: &LeaseHistoryArgs) -> Result<Exit> {
    let style = terminal::style(args.output.color);
    ask(
        (&args.connection, &args.table.table),
        Touch::Reads,
        async |leases| server::history(leases, args.name.as_ref(), args.limit).await,
        |events| {
            output::write(None, |mut out: &mut dyn Write| match args.output.format {
                LeaseFormat::Table => table::leases::history(&events, style, &mut out),
                LeaseFormat::Json => json::lease::history(&events, &mut out),
            })?;
            Ok(Exit::Clean)
        },
    )
}
