//! `lockaudit migrate apply`: the tables, a row a name, and functions for applications.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::led::{Led, lead};
use super::plan::written;
use crate::cli::MigrateApplyArgs;
use crate::command::output;
use crate::cutover::seed::Seed;
use crate::exit::{Exit, Hint};
use crate::migration::{Decision, Former};
use crate::migration_file::read_former;
use crate::pg::cutover::{Applied, Wish};
use crate::terminal;
use crate::text::printable;

const FILE: &str = "migration.toml";

pub(super) fn run(args: &MigrateApplyArgs) -> Result<Exit> {
    // A file that can't be read should be told of before a password is looked for.
    let formers = formers(args)?;
    lead(
        (&args.connection, &args.table.table),
        async |led| match args.uninstall_functions {
            true => uninstall(led, args).await,
            false => apply(led, args, &formers).await,
        },
    )
}

fn formers(args: &MigrateApplyArgs) -> Result<Vec<Former>> {
    let file = match &args.file {
        Some(file) => file.as_path(),
        None if args.functions || args.uninstall_functions => return Ok(Vec::new()),
        None => Path::new(FILE),
    };
    let document = written::read(file).with_context(|| {
        format!("there is no reviewed plan: `lockaudit migrate plan -o {FILE}` makes one")
    });
    Ok(read_former(&document?)?)
}

async fn apply(led: &Led<'_>, args: &MigrateApplyArgs, formers: &[Former]) -> Result<Exit> {
    let seeds = seeds(formers, &led.cutover().database().await?)?;
    let wish = Wish {
        seeds: &seeds,
        who: &led.who,
        functions: args.functions,
    };
    if args.dry_run {
        let sql = led.cutover().apply_sql(wish).await?;
        print(&[sql])?;
        return Ok(Exit::Clean);
    }
    let applied = led.cutover().apply(wish).await?;
    print(&told(&applied, args))?;
    Ok(Exit::Clean)
}

/// Those that are to get a lease, of this database; the others are told of.
fn seeds(formers: &[Former], database: &str) -> Result<Vec<Seed>> {
    let mut seeds = Vec::new();
    for former in formers {
        let told = &former.told;
        let name = printable(&told.name);
        match (former.decision, &told.database) {
            (None, _) => terminal::note(&format!("`{name}` has no decision, and is left out")),
            (Some(Decision::Lease), Some(other)) if other != database => {
                let other = printable(other);
                terminal::note(&format!("`{name}` is of database {other}: left out here"));
            }
            (Some(Decision::Lease), _) => seeds.push(seed(former)?),
            (Some(_), _) => {}
        }
    }
    Ok(seeds)
}

fn seed(former: &Former) -> Result<Seed> {
    let told = &former.told;
    let name = || printable(&told.name);
    Ok(Seed {
        name: told
            .name
            .parse()
            .with_context(|| format!("`{}` can't be a lease", name()))?,
        key: told
            .tag
            .key()
            .with_context(|| format!("the lock of `{}` is an extension's own", name()))?,
    })
}

fn told(applied: &Applied, args: &MigrateApplyArgs) -> Vec<String> {
    let table = args.table.table.quoted();
    let mut lines = vec![match applied.tables {
        true => format!("made the tables of {table}"),
        false => format!("the tables of {table} were there"),
    }];
    for (names, what) in [
        (&applied.seeded, "added, in mode `advisory`"),
        (&applied.were_there, "there already, and left as it is"),
    ] {
        lines.extend(
            names
                .iter()
                .map(|name| format!("`{}`: {what}", printable(name.as_str()))),
        );
    }
    if applied.functions {
        lines.push("made the functions".to_owned());
    }
    if !applied.seeded.is_empty() {
        lines.push(
            "next: deploy code that takes leases, then `lockaudit migrate advance NAME`".to_owned(),
        );
    }
    lines
}

async fn uninstall(led: &Led<'_>, args: &MigrateApplyArgs) -> Result<Exit> {
    if args.dry_run {
        print(&[led.cutover().uninstall_sql().await?])?;
        return Ok(Exit::Clean);
    }
    let done = led.cutover().uninstall_functions().await?;
    for left in &done.left {
        terminal::note(&format!("{} is not ours, and was left", printable(left)));
    }
    let removed = done.removed.iter();
    let lines: Vec<String> = removed
        .map(|signature| format!("removed {}", printable(signature)))
        .collect();
    print(&lines)?;
    if done.removed.is_empty() {
        ensure!(
            done.left.is_empty(),
            Hint::error("whoever made them may remove them by DROP FUNCTION")
                .context("the functions of these names are not ours: nothing was removed")
        );
        terminal::note("there are no functions of ours here");
    }
    Ok(Exit::Clean)
}

fn print(lines: &[String]) -> Result<()> {
    output::write(None, |out: &mut dyn Write| {
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))
    })
}
