//! `lockaudit scan`: one snapshot, judged and shown.

use std::io::{self, Write};

use anyhow::{Result, bail};

use super::output;
use crate::cli::{Format, QueryDetail, ScanArgs, Threshold};
use crate::exit::Exit;
use crate::finding::{self, Rule, Severity};
use crate::pg::QueryTexts;
use crate::pg::observe::{Observation, Observed, observe};
use crate::pg::sample::Sampling;
use crate::pg::settings::{self, Environment};
use crate::picture::Expectations;
use crate::render::{json, table};
use crate::report::Report;
use crate::snapshot::{BlindSpot, Snapshot};
use crate::terminal;

/// `--query short`: enough to recognise a statement.
const SHORT_QUERY: usize = 200;

pub(super) fn run(args: &ScanArgs) -> Result<Exit> {
    check_rule_names(args)?;
    let observed = narrowed(look(args)?, args)?;
    let expectations = Expectations {
        idle_after: args.idle_after,
        pool_sizes: args.pool_size.iter().cloned().collect(),
    };
    let report = judge(&observed, &expectations, args);
    show(&report, args)?;
    Ok(exit(&report, args))
}

fn check_rule_names(args: &ScanArgs) -> Result<()> {
    let mut named = args.include.iter().chain(&args.exclude);
    match named.find(|name| finding::rule(name).is_none()) {
        Some(unknown) => bail!(finding::no_such_rule(unknown)),
        None => Ok(()),
    }
}

fn look(args: &ScanArgs) -> Result<Observed> {
    let resolved = settings::resolve(&args.connection.request(), &Environment::of_this_process())?;
    for note in &resolved.notes {
        terminal::note(note);
    }
    let sampling = Sampling {
        role: args.connection.set_role.clone(),
        texts: match args.query {
            QueryDetail::None => QueryTexts::LeaveOut,
            QueryDetail::Short | QueryDetail::Full => QueryTexts::Read,
        },
    };
    observe(&resolved, &sampling)
}

/// Leaves out what was not asked for: other databases, the rest of long query texts.
fn narrowed(mut observed: Observed, args: &ScanArgs) -> Result<Observed> {
    if let Observation::Seen(snapshot) = &mut observed.outcome {
        if !args.database.is_empty() {
            let oids = oids(snapshot, &args.database)?;
            snapshot.keep_databases(&oids);
        }
        if args.query == QueryDetail::Short {
            snapshot.shorten_queries(SHORT_QUERY);
        }
        for (name, _) in &args.pool_size {
            note_an_unseen_application(snapshot, name);
        }
    }
    Ok(observed)
}

fn oids(snapshot: &Snapshot, names: &[String]) -> Result<Vec<u32>> {
    let oid = |name: &String| {
        let mut databases = snapshot.databases.iter();
        match databases.find(|(_, database)| database.name == *name) {
            Some((oid, _)) => Ok(*oid),
            None => bail!(
                "there is no database `{name}`; there is {}",
                databases_of(snapshot)
            ),
        }
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
fn note_an_unseen_application(snapshot: &Snapshot, name: &str) {
    let mut sessions = snapshot.sessions.iter();
    if !sessions.any(|session| session.application_name.as_deref() == Some(name)) {
        terminal::note(&format!(
            "--pool-size: no session has the application_name `{name}`"
        ));
    }
}

fn judge<'a>(
    observed: &'a Observed,
    expectations: &'a Expectations,
    args: &ScanArgs,
) -> Report<'a> {
    let source = &observed.source;
    match &observed.outcome {
        Observation::Refused { refusal, at } => Report::of_refusal(source, refusal, *at),
        Observation::Seen(snapshot) => {
            Report::of_snapshot(source, snapshot, expectations, |rule| is_chosen(rule, args))
        }
    }
}

fn is_chosen(rule: &Rule, args: &ScanArgs) -> bool {
    let named = |names: &[String]| names.iter().any(|name| name == rule.name);
    (args.include.is_empty() || named(&args.include)) && !named(&args.exclude)
}

fn show(report: &Report<'_>, args: &ScanArgs) -> Result<()> {
    let style = match args.output {
        None => terminal::style(args.color),
        Some(_) => terminal::style_for_files(args.color),
    };
    let render = |mut out: &mut dyn Write| -> io::Result<()> {
        match args.format {
            Format::Table => table::write(report, style, &mut out),
            Format::Json => json::write(report, &mut out),
        }
    };
    output::write(args.output.as_deref(), render)
}

fn exit(report: &Report<'_>, args: &ScanArgs) -> Exit {
    let threshold = match args.fail_on {
        Threshold::Info => Severity::Info,
        Threshold::Warning => Severity::Warning,
        Threshold::Critical => Severity::Critical,
    };
    let blind = report
        .blind_spots()
        .iter()
        .any(BlindSpot::weakens_the_verdict);
    match (args.strict && blind, report.has_findings_at(threshold)) {
        (true, _) => Exit::Unanswered,
        (false, true) => Exit::Findings,
        (false, false) => Exit::Clean,
    }
}
