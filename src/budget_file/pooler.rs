//! `[[pgbouncer]]`

use super::value::BudgetValues as _;
use super::{Text, deploy, refuse_doubles};
use crate::budget::deploy::{Deploy, Strategy};
use crate::budget::plan::{PoolMode, Pooler};
use crate::toml_file::Section;

const MODES: [(&str, PoolMode); 3] = [
    ("session", PoolMode::Session),
    ("transaction", PoolMode::Transaction),
    ("statement", PoolMode::Statement),
];

pub(super) fn all(file: &Section<'_>, text: &Text<'_>) -> Vec<Pooler> {
    let sections = file.sections("pgbouncer", "[[pgbouncer]]");
    let poolers: Vec<Pooler> = sections.iter().map(|section| one(section, text)).collect();
    let names = sections.iter().zip(&poolers);
    let names: Vec<_> = names
        .map(|(section, pooler)| (section, pooler.name.as_str()))
        .collect();
    refuse_doubles(text, "pgbouncer", &names);
    sections.into_iter().for_each(Section::finish);
    poolers
}

/// Defaults are PgBouncer's own.
fn one(section: &Section<'_>, text: &Text<'_>) -> Pooler {
    let cap = |key| section.count(key, 0).filter(|cap| *cap > 0);
    Pooler {
        name: section.name().unwrap_or_default(),
        processes: section.count("processes", 1).unwrap_or(1),
        pool_size: section.count("pool_size", 1).unwrap_or(20),
        reserve_pool_size: section.count("reserve_pool_size", 0).unwrap_or(0),
        max_db_connections: cap("max_db_connections"),
        max_user_connections: cap("max_user_connections"),
        max_client_conn: section.count("max_client_conn", 1).unwrap_or(100),
        mode: section
            .word("pool_mode", &MODES)
            .unwrap_or(PoolMode::Session),
        other_pairs: section.count("other_pairs", 0).unwrap_or(0),
        deploy: deploy::read(section, Deploy::with(Strategy::Replace)),
        place: text.place(section),
    }
}
