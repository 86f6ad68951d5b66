//! `lockaudit migrate finish`: the old keys are forgotten, and what was known of them is kept aside.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::led::lead;
use super::plan::written;
use crate::cli::MigrateFinishArgs;
use crate::command::output;
use crate::exit::{Exit, Hint};
use crate::lease::Mode;
use crate::migration_file::Document;
use crate::pg::cutover::Finished;
use crate::text::printable;
use crate::words;

const HEAD: &str = "\
# Finished: the old keys below are forgotten by the table of leases, whose log still has them.
# This is a copy, kept for the record; `lockaudit migrate apply` would refuse its names.

";

pub(super) fn run(args: &MigrateFinishArgs) -> Result<Exit> {
    let copy = args.file.as_deref().map(copy_of).transpose()?;
    lead((&args.connection, &args.table.table), async |led| {
        let period = args.period.period;
        let (names, done) = match args.dry_run {
            true => (led.cutover().finishable(period).await?, false),
            false => led.cutover().finish(period, &led.who).await?,
        };
        let in_the_way: Vec<String> = names
            .iter()
            .filter_map(|name| in_the_way(name, args))
            .collect();
        if names.is_empty() {
            say(&["no name has an old key: there is nothing to finish".to_owned()])?;
            return Ok(Exit::Clean);
        }
        if !in_the_way.is_empty() {
            say(&in_the_way)?;
            say(&["nothing was done".to_owned()])?;
            return Ok(Exit::Findings);
        }
        if args.dry_run {
            let count = words::count(names.len(), "old key");
            say(&[format!("nothing done: {count} would be forgotten")])?;
            return Ok(Exit::Clean);
        }
        ensure!(done, "the server forgot no key, and did not say why");
        if let Some((path, text)) = &copy {
            output::write(Some(path), |out| out.write_all(text.as_bytes()))
                .context("the old keys are forgotten, but the plan was not kept")?;
        }
        say(&told(&names, copy.as_ref().map(|(path, _)| path.as_path())))?;
        Ok(Exit::Clean)
    })
}

/// The copy and its text, which must not take another file's place.
fn copy_of(file: &Path) -> Result<(PathBuf, String)> {
    let Document { text, .. } = written::read(file)?;
    let mut name = OsString::from(file);
    name.push(".finished");
    let copy = PathBuf::from(name);
    ensure!(
        !copy.exists(),
        Hint::error("move it away, or leave out --file: the log keeps the keys too")
            .context(format!("{} is there already", copy.display()))
    );
    Ok((copy, format!("{HEAD}{text}")))
}

fn in_the_way(name: &Finished, args: &MigrateFinishArgs) -> Option<String> {
    let period = args.period.period;
    let because = if name.mode != Mode::Lease {
        format!("is in `{}` still", name.mode.as_str())
    } else if !name.key_free {
        format!("has an old key, {}, that somebody uses", name.key)
    } else {
        match name.mode_for {
            None => "is in `lease` for an unknown time: the log does not say".to_owned(),
            Some(length) if length < period => format!(
                "is in `lease` for {} only, of {}",
                words::duration(length),
                words::duration(period)
            ),
            Some(_) => return None,
        }
    };
    Some(format!("`{}` {because}", printable(name.name.as_str())))
}

fn told(names: &[Finished], copy: Option<&Path>) -> Vec<String> {
    let mut lines: Vec<String> = names
        .iter()
        .map(|name| {
            let text = printable(name.name.as_str());
            format!("`{text}`: the old key {} is forgotten", name.key)
        })
        .collect();
    let count = words::count(names.len(), "name");
    lines.push(format!(
        "finished: {count} on leases alone; the log has the old keys (`lockaudit lease history`)"
    ));
    if let Some(copy) = copy {
        lines.push(format!("the plan is kept in {}", copy.display()));
    }
    lines
}

fn say(lines: &[String]) -> Result<()> {
    output::write(None, |out: &mut dyn Write| {
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))
    })
    .context("could not say what was done")
}
