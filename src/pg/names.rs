//! Names of databases, roles and relations, and what our role is a member of, read apart from the
//! sample: they need locks on catalogs that a full lock table refuses.

use std::collections::BTreeMap;

use anyhow::Result;
use tokio_postgres::{Client, Row};

use super::column::{get, required_text};
use super::question::{DATABASES, MEMBERSHIP, RELATIONS, ROLES};
use crate::snapshot::Database;

/// What oids are called. Where a name is not known, the number stands for it.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub databases: BTreeMap<u32, Database>,
    roles: BTreeMap<u32, String>,
    /// Whether our role has `pg_read_all_stats`; not, as far as we know, where that could not be read.
    pub reads_all_stats: bool,
}

impl Names {
    /// All questions in one round trip.
    pub async fn read(client: &Client) -> Result<Self> {
        let (databases, roles, membership) = tokio::join!(
            DATABASES.ask(client, &[]),
            ROLES.ask(client, &[]),
            MEMBERSHIP.ask_one(client),
        );
        Ok(Self {
            databases: databases?.iter().map(database).collect::<Result<_>>()?,
            roles: roles?.iter().map(role).collect::<Result<_>>()?,
            reads_all_stats: get(&membership?, "reads_all_stats")?,
        })
    }

    pub fn database(&self, oid: u32) -> String {
        self.databases
            .get(&oid)
            .map_or_else(|| oid.to_string(), |database| database.name.clone())
    }

    pub fn role(&self, oid: u32) -> String {
        self.roles
            .get(&oid)
            .cloned()
            .unwrap_or_else(|| oid.to_string())
    }
}

/// Names of relations of the connected database.
pub(super) async fn relations(client: &Client, oids: &[u32]) -> Result<BTreeMap<u32, String>> {
    let rows = RELATIONS.ask(client, &[&oids]).await?;
    rows.iter()
        .map(|row| Ok((get(row, "oid")?, required_text(row, "name")?)))
        .collect()
}

fn database(row: &Row) -> Result<(u32, Database)> {
    let limit: i32 = get(row, "datconnlimit")?;
    let database = Database {
        name: required_text(row, "datname")?,
        connection_limit: u32::try_from(limit).ok(),
    };
    Ok((get(row, "oid")?, database))
}

fn role(row: &Row) -> Result<(u32, String)> {
    Ok((get(row, "oid")?, required_text(row, "rolname")?))
}
