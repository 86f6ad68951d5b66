//! The tables of leases: made when asked for, never silently, and never over somebody else's.

use anyhow::{Context, Result, bail};
use tokio_postgres::types::ToSql;

use super::Leases;
use super::statement::{COLUMNS, CREATION};
use crate::lease::TableName;
use crate::pg::column::required_text;
use crate::pg::question::in_words;
use crate::text::sql_identifier;

/// What a table of leases has: further columns are nobody's business.
const LEASES: [(&str, &str); 11] = [
    ("name", "text"),
    ("holder", "text"),
    ("token", "bigint"),
    ("taken_at", "timestamp with time zone"),
    ("ttl", "interval"),
    ("expires_at", "timestamp with time zone"),
    ("mode", "text"),
    ("key", "bigint"),
    ("key1", "integer"),
    ("key2", "integer"),
    ("bridged", "boolean"),
];

const LOG: [(&str, &str); 7] = [
    ("id", "bigint"),
    ("at", "timestamp with time zone"),
    ("name", "text"),
    ("token", "bigint"),
    ("event", "text"),
    ("holder", "text"),
    ("reason", "text"),
];

/// Whether they had to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Created {
    Made,
    WereThere,
}

/// Makes the tables where they are missing, all or none.
///
/// # Errors
/// When something else is called so, when the role may not create tables, when the server does not answer.
pub async fn create(leases: &Leases<'_>) -> Result<Created> {
    if are_there(leases).await? {
        return Ok(Created::WereThere);
    }
    let run = leases
        .client
        .batch_execute(&creation_sql(leases.table))
        .await;
    run.map_err(in_words)
        .context("could not create the tables of leases")?;
    Ok(Created::Made)
}

/// What [`create`] does, for a person to read or to run.
pub fn creation_sql(table: &TableName) -> String {
    format!(
        "BEGIN;\nSET LOCAL lock_timeout = '3s';\n{}\nCOMMIT;",
        creation_steps(table)
    )
}

/// The steps of [`creation_sql`], for a transaction that does more.
pub(in crate::pg) fn creation_steps(table: &TableName) -> String {
    let steps = CREATION.iter().map(|step| table.in_sql(step.sql));
    steps.collect::<Vec<String>>().join("\n")
}

/// # Errors
/// When something else is called so.
pub(in crate::pg) async fn are_there(leases: &Leases<'_>) -> Result<bool> {
    Ok(is_there(leases, &leases.table.quoted(), &LEASES).await?
        & is_there(leases, &leases.table.log_quoted(), &LOG).await?)
}

/// What a role needs to take, renew, release and list leases, and no more.
pub fn grants_sql(table: &TableName, role: &str) -> String {
    let (leases, log) = (table.quoted(), table.log_quoted());
    let role = sql_identifier(role);
    let usage = table.schema.as_ref().map(|schema| {
        let schema = sql_identifier(schema);
        format!("GRANT USAGE ON SCHEMA {schema} TO {role};\n")
    });
    format!(
        "{}GRANT SELECT, INSERT, UPDATE ON {leases} TO {role};\nGRANT SELECT, INSERT ON {log} TO {role};",
        usage.unwrap_or_default()
    )
}

pub(in crate::pg) async fn is_there(
    leases: &Leases<'_>,
    table: &str,
    wanted: &[(&str, &str)],
) -> Result<bool> {
    let values: [&(dyn ToSql + Sync); 1] = [&table];
    let rows = COLUMNS.ask(leases.client, leases.table, &values).await?;
    let columns: Vec<(String, String)> = rows
        .iter()
        .map(|row| Ok((required_text(row, "name")?, required_text(row, "type")?)))
        .collect::<Result<_>>()?;
    let missing = wanted.iter().find(|(name, kind)| {
        let mut columns = columns.iter();
        !columns.any(|(has, of)| has == name && of == kind)
    });
    match missing {
        None => Ok(true),
        Some(_) if columns.is_empty() => Ok(false),
        Some((name, kind)) => bail!(
            "{table} is there, and is not ours: it has no column `{name}` of type {kind}; choose another name with --table"
        ),
    }
}
