//! Hearing that a lease was given back, on a session that is ours alone.

use anyhow::{Context, Result};

use super::statement::CLIENT_PORT;
use crate::lease::TableName;
use crate::pg::column::get;
use crate::pg::connection::Connection;
use crate::pg::question::in_words;

/// Listens for leases that are given back, if this session is known to be ours alone: over TCP, and the server
/// sees our own socket. Through a Unix socket a pooler could hide.
///
/// # Errors
/// When the server does not answer.
pub async fn listen(connection: &Connection, table: &TableName) -> Result<bool> {
    let Some(port) = connection.local_port else {
        return Ok(false);
    };
    let row = CLIENT_PORT.ask_one(&connection.client, table, &[]).await?;
    let seen: Option<i32> = row
        .context("no row came")
        .and_then(|row| get(&row, "client_port"))?;
    if seen != Some(i32::from(port)) {
        return Ok(false);
    }
    say(connection, "LISTEN lockaudit_lease")
        .await
        .map(|()| true)
}

/// Does not listen any more.
///
/// # Errors
/// When the server does not answer.
pub async fn hush(connection: &Connection) -> Result<()> {
    say(connection, "UNLISTEN lockaudit_lease").await
}

async fn say(connection: &Connection, statement: &str) -> Result<()> {
    connection
        .client
        .batch_execute(statement)
        .await
        .map_err(in_words)
        .context("could not listen for leases that are given back")
}
