//! The audit itself: look at a server or load a file, judge what was seen, show it. `scan` is this,
//! and the lab shows it.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::{budget_source, destination, input, names_files, output};
use crate::budget::plan::pool_sizes as pool_sizes_of;
use crate::budget_file::ServerFrom;
use crate::cli::{Format, QueryDetail, ScanArgs};
use crate::finding::{self, Rule};
use crate::pg::QueryTexts;
use crate::pg::observe::{Observation, Observed, Series, observe};
use crate::pg::sample::Sampling;
use crate::picture::Expectations;
use crate::render::{csv, dot, html, json, markdown, mermaid, table};
use crate::report::Report;
use crate::saved;
use crate::snapshot::{Snapshot, Source};
use crate::terminal;

/// `--query short`: enough to recognise a statement.
const SHORT_QUERY: usize = 200;

/// What there is to judge, saved if that was asked for, and narrowed to what was asked about.
pub(super) fn look(args: &ScanArgs) -> Result<Observed> {
    check_rule_names(args)?;
    let observed = match &args.input {
        Some(file) => load(file, args)?,
        None => look_at_server(args)?,
    };
    if let Some(file) = &args.save {
        save(file, &observed)?;
    }
    narrowed(observed, args)
}

/// What it is judged by.
pub(super) fn expectations(args: &ScanArgs) -> Result<Expectations> {
    let told = names_files::read(args.names.iter().chain(&args.expect))?;
    Ok(Expectations {
        idle_after: args.idle_after,
        pool_sizes: pool_sizes(args)?,
        names: told.names,
        expected: told.expected,
    })
}

/// By the budget; what is said on the command line holds against it.
fn pool_sizes(args: &ScanArgs) -> Result<BTreeMap<String, u32>> {
    let mut sizes = match &args.budget {
        Some(file) => pool_sizes_of(&budget_source::read(file, ServerFrom::Live)?.roles),
        None => BTreeMap::new(),
    };
    sizes.extend(args.pool_size.iter().cloned());
    Ok(sizes)
}

/// Reads what was seen elsewhere or before.
fn load(file: &Path, args: &ScanArgs) -> Result<Observed> {
    if args.connection.names_a_connection() {
        bail!("--input reads a file and connects to nothing: leave the connection out");
    }
    let name = file.display().to_string();
    let bytes = input::read(file).with_context(|| format!("could not read {name}"))?;
    let loaded = saved::load(&bytes).with_context(|| format!("could not use {name}"))?;
    Ok(Observed {
        source: Source {
            file: Some(name),
            ..loaded.source
        },
        outcome: Observation::Seen(loaded.samples),
    })
}

fn save(file: &Path, observed: &Observed) -> Result<()> {
    match &observed.outcome {
        Observation::Refused { .. } => {
            terminal::note("--save: the server showed nothing, so nothing is saved");
            Ok(())
        }
        Observation::Seen(samples) => {
            let bytes = saved::to_json(&observed.source, samples)
                .context("could not put the snapshot into JSON")?;
            output::write_private(file, &bytes)
        }
    }
}

fn check_rule_names(args: &ScanArgs) -> Result<()> {
    let mut named = args.include.iter().chain(&args.exclude);
    match named.find(|name| finding::rule(name).is_none()) {
        Some(unknown) => bail!(finding::no_such_rule(unknown)),
        None => Ok(()),
    }
}

fn look_at_server(args: &ScanArgs) -> Result<Observed> {
    let resolved = destination::resolve(&args.connection)?;
    let sampling = Sampling {
        role: args.connection.set_role.clone(),
        texts: match args.query {
            QueryDetail::None => QueryTexts::LeaveOut,
            QueryDetail::Short | QueryDetail::Full => QueryTexts::Read,
        },
    };
    let series = Series {
        samples: args.samples,
        interval: args.interval,
    };
    let consoles = destination::resolve_consoles(&args.pgbouncer)?;
    observe(&resolved, &consoles, &sampling, series)
}

/// Leaves out what was not asked for: other databases, the rest of long query texts.
fn narrowed(mut observed: Observed, args: &ScanArgs) -> Result<Observed> {
    if let Observation::Seen(samples) = &mut observed.outcome {
        for snapshot in samples.iter_mut() {
            narrow(snapshot, args)?;
        }
        for (name, _) in &args.pool_size {
            note_an_unseen_application(samples, name);
        }
    }
    Ok(observed)
}

fn narrow(snapshot: &mut Snapshot, args: &ScanArgs) -> Result<()> {
    if !args.database.is_empty() {
        let oids = oids(snapshot, &args.database)?;
        snapshot.keep_databases(&oids);
    }
    match args.query {
        QueryDetail::None => snapshot.shorten_queries(0),
        QueryDetail::Short => snapshot.shorten_queries(SHORT_QUERY),
        QueryDetail::Full => (),
    }
    Ok(())
}

pub(super) fn oids(snapshot: &Snapshot, names: &[String]) -> Result<Vec<u32>> {
    let oid = |name: &String| {
        let named = snapshot.database_oid(name);
        named.with_context(|| {
            format!(
                "there is no database `{name}`; there is {}",
                databases_of(snapshot)
            )
        })
    };
    names.iter().map(oid).collect()
}

fn databases_of(snapshot: &Snapshot) -> String {
    let names: Vec<&str> = snapshot
        .databases
        .values()
        .map(|database| database.name.as_str())
        .collect();
    names.join(", ")
}

/// A misspelled name would silently change nothing.
fn note_an_unseen_application(samples: &[Snapshot], name: &str) {
    let mut sessions = samples.iter().flat_map(|snapshot| &snapshot.sessions);
    if !sessions.any(|session| session.application_name.as_deref() == Some(name)) {
        terminal::note(&format!(
            "--pool-size: no session has the application_name `{name}`"
        ));
    }
}

pub(super) fn judge<'a>(
    observed: &'a Observed,
    expectations: &'a Expectations,
    args: &ScanArgs,
) -> Result<Report<'a>> {
    let source = &observed.source;
    match &observed.outcome {
        Observation::Refused {
            refusal,
            at,
            consoles,
        } => Ok(Report::of_refusal(source, refusal, *at, consoles)),
        Observation::Seen(samples) => {
            Report::of_samples(source, samples, expectations, |rule| is_chosen(rule, args))
                .context("there is no sample to judge")
        }
    }
}

fn is_chosen(rule: &Rule, args: &ScanArgs) -> bool {
    let named = |names: &[String]| names.iter().any(|name| name == rule.name);
    (args.include.is_empty() || named(&args.include)) && !named(&args.exclude)
}

/// A table of locks has no place for what was not seen, and must not look complete.
fn note_what_a_table_can_not_say(report: &Report<'_>) {
    for spot in report.blind_spots() {
        terminal::note(&format!("not seen: {}", spot.sentence()));
    }
}

pub(super) fn show(report: &Report<'_>, args: &ScanArgs) -> Result<()> {
    let style = match args.output {
        None => terminal::style(args.color),
        Some(_) => terminal::style_for_files(args.color),
    };
    let render = |mut out: &mut dyn Write| -> io::Result<()> {
        match args.format {
            Format::Table => table::write(report, style, &mut out),
            Format::Json => json::write(report, &mut out),
            Format::Ndjson => json::write_lines(report, &mut out),
            Format::Csv => csv::write(report, &mut out),
            Format::Markdown => markdown::write(report, &mut out),
            Format::Dot => dot::write(report, &mut out),
            Format::Mermaid => mermaid::write(report, &mut out),
            Format::Html => html::write(report, &mut out),
        }
    };
    if args.format == Format::Csv {
        note_what_a_table_can_not_say(report);
    }
    output::write(args.output.as_deref(), render)
}
