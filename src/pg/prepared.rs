//! Rows of `sql/prepared.sql`.

use anyhow::{Context, Result};
use tokio_postgres::{Client, Row};

use super::column::{get, required_text, xid};
use super::names::Names;
use super::question::PREPARED;
use crate::snapshot::PreparedTransaction;

pub(super) async fn read(client: &Client, names: &Names) -> Result<Vec<PreparedTransaction>> {
    let rows = PREPARED.ask(client, &[]).await?;
    rows.iter()
        .map(|row| decode(row, names))
        .collect::<Result<_>>()
        .context("could not decode the prepared transactions")
}

fn decode(row: &Row, names: &Names) -> Result<PreparedTransaction> {
    Ok(PreparedTransaction {
        transaction: xid(row, "transaction")?.context("column `transaction` is NULL")?,
        gid: required_text(row, "gid")?,
        prepared_at: get(row, "prepared")?,
        owner: get::<Option<u32>>(row, "ownerid")?.map(|oid| names.role(oid)),
        database: get(row, "dbid")?,
    })
}
