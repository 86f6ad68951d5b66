//! `--emit`: the code of one key of the plan, for its application.

use anyhow::{Context, Result, bail};

use crate::cli::MigratePlanArgs;
use crate::migration::{Decision, Entry, Plan};
use crate::snippet::{Language, Subject, snippet};
use crate::text::printable;

pub(super) fn of(plan: &Plan, language: Language, args: &MigratePlanArgs) -> Result<String> {
    let entry = chosen(plan, args.of.as_deref())?;
    let name = printable(&entry.name);
    let key = entry.subject.tag.key();
    let subject = Subject {
        name: entry
            .name
            .parse()
            .with_context(|| format!("could not call a lease `{name}`"))?,
        key: key
            .with_context(|| format!("no SQL function can have asked for the key of `{name}`"))?,
        table: args.table.clone(),
        ttl: entry.ttl,
        bridge: args.bridge,
    };
    Ok(snippet(language, &subject))
}

/// The one that is asked for, or the only one.
fn chosen<'a>(plan: &'a Plan, of: Option<&str>) -> Result<&'a Entry> {
    let is_asked_for = |entry: &&Entry| match of {
        Some(name) => entry.name == name,
        None => entry.decision == Decision::Lease,
    };
    let found: Vec<&Entry> = plan.entries.iter().filter(is_asked_for).collect();
    match (found[..].as_ref(), of) {
        ([entry], _) if entry.decision == Decision::Lease => Ok(entry),
        ([entry], _) => bail!(
            "`{}` does not become a lease by this plan: {}, {}",
            printable(&entry.name),
            entry.decision,
            printable(&entry.reason)
        ),
        ([], Some(name)) => bail!("nothing is called `{}` in this plan", printable(name)),
        ([], None) => bail!("no key becomes a lease by this plan, so there is no code to print"),
        (several, None) => bail!(
            "{} keys become leases by this plan: say with --of which one the code is for: {}",
            several.len(),
            listed(several)
        ),
        (_, Some(name)) => bail!(
            "several keys are called `{}` in this plan: give each a name of its own",
            printable(name)
        ),
    }
}

fn listed(entries: &[&Entry]) -> String {
    let names: Vec<String> = entries
        .iter()
        .map(|entry| format!("`{}`", printable(&entry.name)))
        .collect();
    names.join(", ")
}
