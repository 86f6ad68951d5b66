//! `lockaudit budget import`: a file from what a cluster, or a chart, says of itself.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::output;
use crate::budget_import::{self, Import, Refusal, Wishes};
use crate::cli::BudgetImportArgs;
use crate::command::input;
use crate::exit::{Exit, Hint};
use crate::manifest::{self, Mistake, Source};
use crate::{terminal, words};

pub(super) fn run(args: &BudgetImportArgs) -> Result<Exit> {
    refuse_doubles(&args.pool)?;
    let manifests = manifest::read(&sources(args)?).map_err(said)?;
    let import = budget_import::import(&manifests, &wishes(args)).map_err(refused)?;
    write(args, &import)?;
    Ok(Exit::Clean)
}

fn refuse_doubles(pools: &[(String, u64)]) -> Result<()> {
    for (at, (role, _)) in pools.iter().enumerate() {
        if pools[..at].iter().any(|(earlier, _)| earlier == role) {
            bail!("--pool is there twice for `{role}`");
        }
    }
    Ok(())
}

fn sources(args: &BudgetImportArgs) -> Result<Vec<Source>> {
    let is_stdin = |file: &&PathBuf| file.as_os_str() == "-";
    if args.files.iter().filter(is_stdin).count() > 1 {
        bail!("`-` is there twice, but stdin can be read only once");
    }
    args.files.iter().map(|file| source(file)).collect()
}

fn source(file: &Path) -> Result<Source> {
    let name = match file.to_str() {
        Some("-") => "stdin".to_owned(),
        _ => file.display().to_string(),
    };
    let bytes = input::read(file).with_context(|| format!("could not read {name}"))?;
    let is_utf16 = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
    if is_utf16 {
        let hint = "write it as UTF-8; in PowerShell: `kubectl … | Out-File -Encoding utf8 FILE`";
        return Err(Hint::error(hint).context(format!("{name} is UTF-16")));
    }
    let text = String::from_utf8(bytes).with_context(|| format!("{name} is not UTF-8"))?;
    Ok(Source { name, text })
}

fn wishes(args: &BudgetImportArgs) -> Wishes {
    Wishes {
        pool_variables: args.pool_env.clone(),
        overflow_variables: args.overflow_env.clone(),
        process_variables: args.processes_env.clone(),
        pools: args.pool.iter().cloned().collect(),
        skipped: args.skip.clone(),
        nodes: args.nodes.map(u64::from),
        overlapping_runs: args.overlapping_runs.map(u64::from),
        deploy_every: args.deploy_every,
        max_connections: args.max_connections.map(u64::from),
    }
}

fn said(mistake: Mistake) -> anyhow::Error {
    let error = match &mistake.instead {
        Some(instead) => Hint::error(instead).context(mistake),
        None => mistake.into(),
    };
    error.context("could not use the manifests")
}

fn refused(refusal: Refusal) -> anyhow::Error {
    let (message, hint) = match refusal {
        Refusal::NothingRunsPods { left_out } => {
            for note in left_out {
                terminal::note(&note);
            }
            (
                "nothing in the manifests runs pods".to_owned(),
                "give Deployments, StatefulSets, DaemonSets, CronJobs, Jobs: `kubectl get deploy,sts,ds,cronjob,job,hpa -o yaml`".to_owned(),
            )
        }
        Refusal::NoSuchRole { name, roles } => (
            format!("no role is called `{name}`"),
            format!("there is {}", words::some_of(&roles, 20)),
        ),
        Refusal::AllSkipped => (
            "no role is left: all of them are skipped".to_owned(),
            "leave out a --skip".to_owned(),
        ),
    };
    Hint::error(hint).context(message)
}

/// Notes come last: they are about the file.
fn write(args: &BudgetImportArgs, import: &Import) -> Result<()> {
    let text = import.to_string();
    match &args.output {
        Some(file) if !args.force => {
            output::write_new(
                file,
                &text,
                "name another file, or write it anew with --force",
            )?;
        }
        file => output::write(file.as_deref(), |out| out.write_all(text.as_bytes()))?,
    }
    for note in &import.notes {
        terminal::note(note);
    }
    if let Some(file) = &args.output {
        let name = file.display();
        terminal::note(&format!(
            "{name} is written: now `lockaudit budget check {name}`"
        ));
    }
    Ok(())
}
