//! `[[role]]` and its `[[role.lock]]`.

use super::value::BudgetValues as _;
use super::{Text, deploy, refuse_doubles};
use crate::budget::deploy::Deploy;
use crate::budget::plan::{Lock, Pooler, Role, Scope};
use crate::toml_file::value::nearest;
use crate::toml_file::{Section, Wrong};

const SCOPES: [(&str, Scope); 2] = [
    ("transaction", Scope::Transaction),
    ("session", Scope::Session),
];

pub(super) fn all(file: &Section<'_>, text: &Text<'_>, poolers: &[Pooler]) -> Vec<Role> {
    let sections = file.sections("role", "[[role]]");
    let roles: Vec<Role> = sections
        .iter()
        .map(|section| one(section, text, poolers))
        .collect();
    let names = sections.iter().zip(&roles);
    let names: Vec<_> = names
        .map(|(section, role)| (section, role.name.as_str()))
        .collect();
    refuse_doubles(text, "role", &names);
    sections.into_iter().for_each(Section::finish);
    roles
}

fn one(section: &Section<'_>, text: &Text<'_>, poolers: &[Pooler]) -> Role {
    let name = section.name().unwrap_or_default();
    let (nodes, max_nodes) = nodes(section);
    if !section.has("pool") {
        section.missing(
            "pool",
            "the most connections that one process's pool may open: pool = 10",
        );
    }
    Role {
        nodes,
        max_nodes,
        processes: section.count("processes", 1).unwrap_or(1),
        pool: section.count("pool", 1).unwrap_or(1),
        overflow: section.count("overflow", 0).unwrap_or(0),
        extra: section.count("extra", 0).unwrap_or(0),
        user: section.text("user").unwrap_or_else(|| name.clone()),
        database: section.text("database").unwrap_or_else(|| "app".to_owned()),
        application_name: section
            .text("application_name")
            .unwrap_or_else(|| name.clone()),
        via: via(section, poolers),
        deploy: deploy::read(section, Deploy::default()),
        locks: locks(section, text),
        place: text.place(section),
        name,
    }
}

/// An autoscaler's ceiling alone is enough.
fn nodes(section: &Section<'_>) -> (u64, Option<u64>) {
    let nodes = section.count("nodes", 1);
    let max_nodes = section.count("max_nodes", 1);
    if !section.has("nodes") && !section.has("max_nodes") {
        section.missing("nodes", "nodes = 2 (or max_nodes, an autoscaler's ceiling)");
    }
    if let (Some(nodes), Some(max_nodes)) = (nodes, max_nodes)
        && max_nodes < nodes
    {
        let message = format!("`max_nodes` {max_nodes} is below `nodes` {nodes}");
        section.refuse("max_nodes", Wrong::saying(message));
    }
    (nodes.or(max_nodes).unwrap_or(1), max_nodes)
}

fn via(section: &Section<'_>, poolers: &[Pooler]) -> Option<String> {
    let name = section.text("via")?;
    let known = || poolers.iter().map(|pooler| pooler.name.as_str());
    if known().any(|known| known == name) {
        return Some(name);
    }
    let wrong = Wrong::saying(format!("no [[pgbouncer]] is called \"{name}\""));
    let near = nearest(&name, known()).or_else(|| known().next());
    section.refuse(
        "via",
        match near {
            Some(near) => wrong.write(format!("via = \"{near}\"")),
            None => wrong.write(format!("a [[pgbouncer]] with name = \"{name}\"")),
        },
    );
    None
}

fn locks(role: &Section<'_>, text: &Text<'_>) -> Vec<Lock> {
    let sections = role.sections("lock", "[[role.lock]]");
    let locks: Vec<Lock> = sections.iter().map(|section| lock(section, text)).collect();
    let names = sections.iter().zip(&locks);
    let names: Vec<_> = names
        .map(|(section, lock)| (section, lock.name.as_str()))
        .collect();
    refuse_doubles(text, "lock", &names);
    sections.into_iter().for_each(Section::finish);
    locks
}

fn lock(section: &Section<'_>, text: &Text<'_>) -> Lock {
    if !section.has("concurrency") {
        section.missing(
            "concurrency",
            "how many one process holds at once: concurrency = 1",
        );
    }
    what_belongs_together(section);
    Lock {
        name: section.name().unwrap_or_default(),
        concurrency: section.count("concurrency", 1).unwrap_or(1),
        // Work that runs on the lock's own connection says needs = 0: less would hide a deadlock.
        needs: section.count("needs", 0).unwrap_or(1),
        hold: section.duration("hold"),
        scope: section.word("scope", &SCOPES).unwrap_or(Scope::Transaction),
        own_pool: section.count("own_pool", 1),
        rate: section.rate("rate"),
        max_wait: section.duration("max_wait"),
        place: text.place(section),
    }
}

fn what_belongs_together(section: &Section<'_>) {
    if section.has("rate") && !section.has("hold") {
        section.missing(
            "hold",
            "how long it is held: hold = \"3s\" (`rate` needs it)",
        );
    }
    if section.has("max_wait") && !section.has("rate") {
        section.missing(
            "rate",
            "how often one process wants it: rate = \"1/s\" (`max_wait` needs it)",
        );
    }
}
