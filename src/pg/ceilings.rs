//! What bounds connections on a server: a sample, and beside it the limits of roles and what the
//! provider keeps, which no scan needs.

use std::collections::BTreeMap;

use anyhow::Result;

use super::column::{get, required_text};
use super::connect::{Connection, connect};
use super::question::{PROVIDER_RESERVED, ROLE_LIMITS};
use super::runtime::runtime;
use super::sample::{self, Sampling};
use super::settings::Resolved;
use super::transaction::{Text, Transaction};
use crate::budget::live::Observed;

/// Looks once.
///
/// # Errors
/// Whatever kept us from connecting or from reading; a server without a slot for us is one of them.
pub fn look(resolved: &Resolved, sampling: &Sampling) -> Result<Observed> {
    runtime()?.block_on(async {
        let connection = connect(&resolved.target).await?;
        let observed = read(&connection, sampling).await;
        connection.close().await;
        observed
    })
}

async fn read(connection: &Connection, sampling: &Sampling) -> Result<Observed> {
    connection.refuse_admin_console()?;
    let snapshot = sample::take(connection, sampling).await?;
    let transaction = Transaction {
        frame: connection.frame(sampling.role.as_deref()),
        client: &connection.client,
        role: sampling.role.as_deref(),
        text: Text::Converted,
    };
    let client = transaction.client;
    let work = async {
        let (limits, reserved) = tokio::join!(
            ROLE_LIMITS.ask(client, &[]),
            PROVIDER_RESERVED.ask_one(client)
        );
        Ok((limits?, reserved?))
    };
    let (limits, reserved) = transaction.run(work).await?;
    let mut role_limits = BTreeMap::new();
    for row in &limits {
        let limit: i32 = get(row, "rolconnlimit")?;
        role_limits.insert(
            required_text(row, "rolname")?,
            u64::from(limit.max(0).unsigned_abs()),
        );
    }
    let reserved: i64 = get(&reserved, "provider_reserved")?;
    Ok(Observed {
        snapshot,
        role_limits,
        provider_reserved: reserved.max(0).unsigned_abs(),
    })
}
