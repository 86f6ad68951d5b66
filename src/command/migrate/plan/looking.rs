//! Where the keys come from: a server, for as long as it was asked for; saved snapshots; or both.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::cli::MigratePlanArgs;
use crate::command::interrupt::unless_interrupted;
use crate::command::{audit, destination, input};
use crate::migration::Gathering;
use crate::pg::follow::{Followed, Pace, follow};
use crate::pg::sample::Sampling;
use crate::pg::{QueryTexts, runtime};
use crate::saved::{self, Loaded};
use crate::snapshot::{Snapshot, Source};
use crate::{terminal, words};

/// What was seen, and where.
pub(super) struct Looked {
    pub gathering: Gathering,
    pub sources: Vec<Source>,
}

/// `None` if Ctrl-C came before anything was seen.
pub(super) fn look(args: &MigratePlanArgs) -> Result<Option<Looked>> {
    let mut looked = Looked {
        gathering: Gathering::of_databases(&args.database),
        sources: Vec::new(),
    };
    load(args, &mut looked)?;
    if asks_a_server(args) {
        look_at_server(args, &mut looked)?;
        if looked.gathering.samples() == 0 {
            return Ok(None);
        }
    }
    Ok(Some(looked))
}

/// Files alone are enough, unless a server is named beside them.
fn asks_a_server(args: &MigratePlanArgs) -> bool {
    let files_alone = !args.input.is_empty() || !args.map.is_empty();
    !files_alone || args.connection.names_a_connection() || args.length.is_some()
}

/// Files of one server go on from each other, whatever their order on the command line.
fn load(args: &MigratePlanArgs, looked: &mut Looked) -> Result<()> {
    let mut by_host: BTreeMap<String, Vec<Snapshot>> = BTreeMap::new();
    for file in &args.input {
        let loaded = load_one(file)?;
        let samples = by_host.entry(loaded.source.host.clone()).or_default();
        samples.extend(loaded.samples);
        looked.sources.push(loaded.source);
    }
    for mut samples in by_host.into_values() {
        samples.sort_by_key(|sample| sample.captured_at);
        looked.gathering.begin_series();
        for mut snapshot in samples {
            keep_databases(&mut snapshot, args);
            looked.gathering.add(snapshot);
        }
    }
    Ok(())
}

fn load_one(file: &Path) -> Result<Loaded> {
    let name = file.display().to_string();
    let bytes = input::read(file).with_context(|| format!("could not read {name}"))?;
    let loaded = saved::load(&bytes).with_context(|| format!("could not use {name}"))?;
    let source = Source {
        file: Some(name),
        ..loaded.source
    };
    Ok(Loaded { source, ..loaded })
}

/// A database that one of many files does not know is no mistake.
fn keep_databases(snapshot: &mut Snapshot, args: &MigratePlanArgs) {
    if !args.database.is_empty() {
        let names = args.database.iter();
        let oids: Vec<u32> = names
            .filter_map(|name| snapshot.database_oid(name))
            .collect();
        snapshot.keep_databases(&oids);
    }
}

fn look_at_server(args: &MigratePlanArgs, looked: &mut Looked) -> Result<()> {
    let resolved = destination::resolve(&args.connection)?;
    let sampling = Sampling {
        role: args.connection.set_role.clone(),
        // Statements tell which kind of lock they ask for; they are kept nowhere.
        texts: QueryTexts::Read,
    };
    let pace = Pace {
        length: args.length.unwrap_or(Duration::ZERO),
        every: args.every,
    };
    looked.gathering.begin_series();
    let look = |source: &Source, mut snapshot: Snapshot| {
        audit::oids(&snapshot, &args.database)?;
        keep_databases(&mut snapshot, args);
        if !looked.sources.contains(source) {
            looked.sources.push(source.clone());
        }
        looked.gathering.add(snapshot);
        Ok(())
    };
    let following = follow(&resolved, &sampling, pace, look);
    let followed = runtime()?.block_on(unless_interrupted(following))?;
    tell(followed, looked.gathering.samples());
    Ok(())
}

/// Says what ended the looking before its time.
fn tell(followed: Option<Followed>, samples: usize) {
    let seen = words::count(samples, "sample");
    match followed {
        Some(Followed::ToTheEnd) => (),
        Some(Followed::Broken(error)) => terminal::note(&format!(
            "the looking ended before its time, and the plan is made of {seen}: {error:#}"
        )),
        None if samples > 0 => {
            terminal::note(&format!("interrupted: the plan is made of {seen}"));
        }
        None => (),
    }
}
