//! The files of `sql/lease`, for a table of any name.

use anyhow::{Context, Result};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row};

use crate::lease::TableName;
use crate::pg::question::{ask_unnamed, in_words};

/// One file of `sql/lease`.
#[derive(Debug, Clone, Copy)]
pub struct Statement {
    /// Its name below `sql/`.
    pub file: &'static str,
    pub sql: &'static str,
    /// What was tried, for the error: `could not take the lease`.
    pub purpose: &'static str,
    pub parameters: &'static [Type],
}

macro_rules! statement {
    ($name:ident, $file:literal, $purpose:literal, [$($type:ident),*]) => {
        pub const $name: Statement = Statement {
            file: concat!("lease/", $file),
            sql: include_str!(concat!("../../../sql/lease/", $file)),
            purpose: $purpose,
            parameters: &[$(Type::$type),*],
        };
    };
}

statement!(
    CREATE_TABLE,
    "create_table.sql",
    "create the table of leases",
    []
);
statement!(CREATE_LOG, "create_log.sql", "create the log of leases", []);
statement!(
    CREATE_LOG_OF_GRANTS,
    "create_log_of_grants.sql",
    "create the log's index of grants",
    []
);
statement!(
    CREATE_LOG_OF_ENDS,
    "create_log_of_ends.sql",
    "create the log's index of ends",
    []
);
statement!(
    COLUMNS,
    "columns.sql",
    "look at the table of leases",
    [TEXT]
);
statement!(
    TAKE,
    "take.sql",
    "take the lease",
    [TEXT, TEXT, FLOAT8, TEXT, TEXT]
);
statement!(
    TAKE_WITHOUT_FLOOR,
    "take_without_floor.sql",
    "take the lease",
    [TEXT, TEXT, FLOAT8, TEXT, TEXT]
);
statement!(PROBE, "probe.sql", "look at the lease", [TEXT]);
statement!(
    RENEW,
    "renew.sql",
    "renew the lease",
    [TEXT, TEXT, INT8, FLOAT8]
);
statement!(
    RENEW_MANY,
    "renew_many.sql",
    "renew the leases",
    [TEXT_ARRAY, TEXT_ARRAY, INT8_ARRAY, FLOAT8]
);
statement!(
    RELEASE,
    "release.sql",
    "release the lease",
    [TEXT, TEXT, INT8, TEXT]
);
statement!(
    BRIDGE,
    "bridge.sql",
    "note that the old key is held beside the lease",
    [TEXT, TEXT, INT8]
);
statement!(
    NOTIFY,
    "notify.sql",
    "tell waiters that the lease is free",
    [TEXT]
);
statement!(
    CLIENT_PORT,
    "client_port.sql",
    "ask by which port the server sees us",
    []
);
statement!(
    FENCE_CHECK,
    "fence_check.sql",
    "check the lease for this transaction",
    [TEXT, TEXT, INT8]
);
statement!(CHECK, "check.sql", "check the lease", [TEXT, TEXT, INT8]);
statement!(BREAK, "break.sql", "break the lease", [TEXT, TEXT]);
statement!(LIST, "list.sql", "list the leases", []);
statement!(
    HISTORY,
    "history.sql",
    "read the log of leases",
    [TEXT, INT8]
);
statement!(PRUNE, "prune.sql", "prune the log of leases", [FLOAT8]);

/// What makes the tables, in this order.
pub const CREATION: [Statement; 4] = [
    CREATE_TABLE,
    CREATE_LOG,
    CREATE_LOG_OF_GRANTS,
    CREATE_LOG_OF_ENDS,
];

/// Every file of `sql/lease` but [`CREATION`], so that a test can put each one to every major.
pub const ALL: [Statement; 16] = [
    COLUMNS,
    TAKE,
    TAKE_WITHOUT_FLOOR,
    PROBE,
    RENEW,
    RENEW_MANY,
    RELEASE,
    BRIDGE,
    NOTIFY,
    CLIENT_PORT,
    FENCE_CHECK,
    CHECK,
    BREAK,
    LIST,
    HISTORY,
    PRUNE,
];

impl Statement {
    /// Asks by an unnamed statement in one round trip, which any pooler lets through.
    pub async fn ask(
        &self,
        client: &Client,
        table: &TableName,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>> {
        let sql = table.in_sql(self.sql);
        let rows = ask_unnamed(client, &sql, self.parameters, values).await;
        rows.map_err(in_words)
            .with_context(|| format!("could not {}", self.purpose))
    }

    /// What has one row at most.
    pub async fn ask_one(
        &self,
        client: &Client,
        table: &TableName,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Option<Row>> {
        let mut rows = self.ask(client, table, values).await?;
        anyhow::ensure!(
            rows.len() <= 1,
            "could not {}: {} rows came where one was asked for",
            self.purpose,
            rows.len()
        );
        Ok(rows.pop())
    }
}
