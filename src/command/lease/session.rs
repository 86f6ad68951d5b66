//! One session for one question about leases.

use anyhow::{Result, bail};

use crate::cli::ConnectionArgs;
use crate::command::destination;
use crate::command::interrupt::unless_interrupted;
use crate::exit::{Exit, Hint};
use crate::lease::TableName;
use crate::pg::connect::Connection;
use crate::pg::failure::ServerWords;
use crate::pg::lease::{Leases, in_time};
use crate::pg::settings::Resolved;
use crate::pg::target::SessionAttrs;
use crate::pg::{release, runtime};

/// SQLSTATE `undefined_table`.
const NO_TABLE: &str = "42P01";

/// What a question does to the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touch {
    Reads,
    /// Needs a primary: of several hosts, the one that takes writes.
    Writes,
}

/// Asks, and hands the answer to `say`; Ctrl-C ends it with 130.
///
/// # Errors
/// When there is no connection, no table, no answer.
pub(super) fn ask<T>(
    (connection, table): (&ConnectionArgs, &TableName),
    touch: Touch,
    question: impl AsyncFnOnce(&Leases<'_>) -> Result<T>,
    say: impl FnOnce(T) -> Result<Exit>,
) -> Result<Exit> {
    let resolved = resolve(connection, touch)?;
    let answer = runtime()?.block_on(unless_interrupted(answer(&resolved, table, question)))?;
    match answer {
        Some(answer) => say(answer),
        None => Ok(Exit::Interrupted),
    }
}

pub(super) fn resolve(connection: &ConnectionArgs, touch: Touch) -> Result<Resolved> {
    if connection.set_role.is_some() {
        bail!("--set-role is for looking at locks; connect as the role that works with leases");
    }
    let mut resolved = destination::resolve(connection)?;
    if touch == Touch::Writes && resolved.target.session_attrs == SessionAttrs::Any {
        resolved.target.session_attrs = SessionAttrs::ReadWrite;
    }
    Ok(resolved)
}

async fn answer<T>(
    resolved: &Resolved,
    table: &TableName,
    question: impl AsyncFnOnce(&Leases<'_>) -> Result<T>,
) -> Result<T> {
    let connection: Connection = release::open(resolved).await?;
    let leases = Leases::of(&connection, table);
    let answer = in_time(question(&leases)).await;
    connection.close().await;
    answer.map_err(|error| with_way_out(error, table))
}

/// A missing table has a way out that the server does not know of.
pub(super) fn with_way_out(error: anyhow::Error, table: &TableName) -> anyhow::Error {
    let mut causes = error.chain();
    let words = causes.find_map(|cause| cause.downcast_ref::<ServerWords>());
    match words {
        Some(words) if words.sqlstate == NO_TABLE => Hint::error(
            "create it once with `lockaudit lease init`, or say with --table where it is",
        )
        .context(format!(
            "there is no table of leases {table} in this database"
        )),
        _ => error,
    }
}
