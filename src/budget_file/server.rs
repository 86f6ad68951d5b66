//! `[server]`, `[policy]`, `[[external]]` and `[[limit]]`.

use super::value::BudgetValues as _;
use super::{ServerFrom, Text};
use crate::budget::plan::{ConnectionKind, Deploys, External, Limit, Policy, When, Whose};
use crate::budget::server::{FIRST_WITH_RESERVED, MOST_CONNECTIONS, Numbers};
use crate::toml_file::{Section, Wrong};

pub(super) fn numbers(file: &Section<'_>, text: &Text<'_>) -> Option<Numbers> {
    let section = file.section("server", "[server]");
    let Some(section) = section else {
        if text.server_from == ServerFrom::File && !file.has("server") {
            needs_max_connections(file);
        }
        return Some(Numbers::default());
    };
    let numbers = Numbers {
        max_connections: section.count("max_connections", 1),
        superuser_reserved: section.count("superuser_reserved_connections", 0),
        reserved: section.count("reserved_connections", 0),
        provider_reserved: section.count("provider_reserved", 0),
        major: section
            .count("postgres", 1)
            .and_then(|major| u32::try_from(major).ok()),
        place: Some(crate::toml_file::place(
            text.text,
            section.span_of("max_connections").start,
        )),
    };
    if text.server_from == ServerFrom::File && !section.has("max_connections") {
        needs_max_connections(&section);
    }
    contradictions(&numbers, &section);
    section.finish();
    Some(numbers)
}

fn needs_max_connections(section: &Section<'_>) {
    let instead = "[server] max_connections = …, or run with --live to read it from the server";
    section.missing("max_connections", instead);
}

fn contradictions(numbers: &Numbers, section: &Section<'_>) {
    let reserved = numbers.reserved.unwrap_or(0);
    if let Some(major @ ..FIRST_WITH_RESERVED) = numbers.major
        && reserved > 0
    {
        let message = format!(
            "reserved_connections needs PostgreSQL {FIRST_WITH_RESERVED}, and postgres says {major}"
        );
        section.refuse("reserved_connections", Wrong::saying(message));
    }
    let Some(server) = numbers.server() else {
        return;
    };
    if server.max_connections > MOST_CONNECTIONS {
        let message = format!("PostgreSQL's own limit for max_connections is {MOST_CONNECTIONS}");
        section.refuse("max_connections", Wrong::saying(message));
    } else if server.usable() == 0 {
        let message = format!(
            "{} of {} connections are kept in reserve, and nothing is left (PostgreSQL refuses to \
             start when its reserves are not less than max_connections)",
            server.kept(),
            server.max_connections
        );
        section.refuse("max_connections", Wrong::saying(message));
    }
}

pub(super) fn policy(file: &Section<'_>) -> Policy {
    let usual = Policy::default();
    let Some(section) = file.section("policy", "[policy]") else {
        return usual;
    };
    let deploys = [
        ("together", Deploys::Together),
        ("one-at-a-time", Deploys::OneAtATime),
    ];
    let policy = Policy {
        warn_above: section.percent("warn_above").unwrap_or(usual.warn_above),
        min_free: section.count("min_free", 0).unwrap_or(usual.min_free),
        deploys: section.word("deploys", &deploys).unwrap_or(usual.deploys),
    };
    section.finish();
    policy
}

pub(super) fn externals(file: &Section<'_>, text: &Text<'_>) -> Vec<External> {
    let sections = file.sections("external", "[[external]]");
    sections
        .into_iter()
        .filter_map(|section| external(section, text))
        .collect()
}

fn external(section: Section<'_>, text: &Text<'_>) -> Option<External> {
    if !section.has("connections") {
        section.missing("connections", "connections = 1");
    }
    let when = [
        ("always", When::Always),
        ("deploy", When::OnlyDuringADeploy),
    ];
    let external = External {
        name: section.name().unwrap_or_default(),
        connections: section.count("connections", 1).unwrap_or_default(),
        when: section.word("when", &when).unwrap_or(When::Always),
        kind: match section.flag("replication") {
            Some(true) => ConnectionKind::Walsender,
            _ => ConnectionKind::Client,
        },
        user: section.text("user"),
        database: section.text("database"),
        place: text.place(&section),
    };
    section.finish();
    Some(external)
}

pub(super) fn limits(file: &Section<'_>, text: &Text<'_>) -> Vec<Limit> {
    let sections = file.sections("limit", "[[limit]]");
    sections
        .into_iter()
        .filter_map(|section| limit(section, text))
        .collect()
}

fn limit(section: Section<'_>, text: &Text<'_>) -> Option<Limit> {
    let (user, database) = (section.text("user"), section.text("database"));
    let whose = match (user, database) {
        (Some(user), None) => Some(Whose::User(user)),
        (None, Some(database)) => Some(Whose::Database(database)),
        _ => {
            let message = format!("{} needs either `user` or `database`", section.title());
            section.refuse("user", Wrong::saying(message).write("user = \"app\""));
            None
        }
    };
    if !section.has("connections") {
        section.missing(
            "connections",
            "connections = … (what ALTER … CONNECTION LIMIT says)",
        );
    }
    // -1 is PostgreSQL's word for no limit: then there is nothing to check.
    let connections = section.count("connections", 0);
    let place = text.place(&section);
    section.finish();
    Some(Limit {
        whose: whose?,
        connections: connections?,
        place,
    })
}
