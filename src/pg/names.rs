//! Names of databases, roles and relations, the settings that go by such names, and what our role is
//! a member of, read apart from the sample: they need locks on catalogs that a full lock table refuses.

use std::collections::BTreeMap;

use anyhow::Result;
use tokio_postgres::{Client, Row};

use super::column::{get, required_text};
use super::question::{DATABASES, MEMBERSHIP, OVERRIDES, RELATIONS, ROLES};
use crate::snapshot::{Database, TimeoutOverride};

/// What oids are called. Where a name is not known, the number stands for it.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub databases: BTreeMap<u32, Database>,
    roles: BTreeMap<u32, String>,
    /// Time limits that roles and databases have of their own: known by name, so read with them.
    pub overrides: Vec<TimeoutOverride>,
    /// Whether our role has `pg_read_all_stats`; not, as far as we know, where that could not be read.
    pub reads_all_stats: bool,
}

impl Names {
    /// All questions in one round trip.
    pub async fn read(client: &Client) -> Result<Self> {
        let (databases, roles, overrides, membership) = tokio::join!(
            DATABASES.ask(client, &[]),
            ROLES.ask(client, &[]),
            OVERRIDES.ask(client, &[]),
            MEMBERSHIP.ask_one(client),
        );
        let mut names = Self {
            databases: databases?.iter().map(database).collect::<Result<_>>()?,
            roles: roles?.iter().map(role).collect::<Result<_>>()?,
            overrides: Vec::new(),
            reads_all_stats: false,
        };
        for row in overrides? {
            let decoded = timeout_override(&row, &names)?;
            names.overrides.extend(decoded);
        }
        names.reads_all_stats = get(&membership?, "reads_all_stats")?;
        Ok(names)
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

/// What a role or a database has of its own; `None` for a value that no server would take.
fn timeout_override(row: &Row, names: &Names) -> Result<Option<TimeoutOverride>> {
    let named = |oid: u32, name: fn(&Names, u32) -> String| (oid != 0).then(|| name(names, oid));
    let role = named(get(row, "setrole")?, Names::role);
    let database = named(get(row, "setdatabase")?, Names::database);
    let setting = required_text(row, "setting")?;
    Ok(TimeoutOverride::of(role, database, &setting))
}
