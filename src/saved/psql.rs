//! The CSV that `psql --csv` makes of `sql/snapshot_rows.sql`: a kind and a JSON row in each record,
//! between the command tags that psql prints without `-q`.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::Loaded;
use super::rows::{Sample, ServerRow, TimeoutsRow};
use crate::snapshot::{Snapshot, Source};

/// The rows' own version, in the server row.
const VERSION: u32 = 1;

#[derive(Deserialize)]
struct Marker {
    lockaudit_rows: u32,
}

pub(super) fn load(text: &str) -> Result<Loaded> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut rows = Rows::default();
    for record in reader.records() {
        let record = record.context("the CSV is damaged")?;
        let line = record.position().map_or(0, csv::Position::line);
        let (Some(kind), Some(row), 2) = (record.get(0), record.get(1), record.len()) else {
            rows.note_a_foreign_line(line);
            continue;
        };
        rows.add(kind, row)
            .with_context(|| format!("line {line}: a row of kind `{kind}` can't be read"))?;
    }
    rows.into_loaded()
}

/// One sample, from the rows that the script gave: kind and JSON.
pub(super) fn from_rows<'a>(all: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Snapshot> {
    let mut rows = Rows::default();
    for (kind, row) in all {
        rows.add(kind, row)
            .with_context(|| format!("a row of kind `{kind}` can't be read"))?;
    }
    rows.into_snapshot(|| "the server's row is missing".to_owned())
}

#[derive(Default)]
struct Rows {
    server: Option<ServerRow>,
    timeouts: Option<TimeoutsRow>,
    rest: Lists,
    is_whole: bool,
    first_foreign_line: Option<u64>,
}

#[derive(Default)]
struct Lists {
    overrides: Vec<super::rows::OverrideRow>,
    databases: Vec<super::rows::DatabaseRow>,
    relations: Vec<super::rows::RelationRow>,
    locks: Vec<super::rows::LockRow>,
    sessions: Vec<super::rows::SessionRow>,
    prepared: Vec<super::rows::PreparedRow>,
}

impl Rows {
    fn add(&mut self, kind: &str, row: &str) -> Result<()> {
        match kind {
            // The header, once a result.
            "kind" if row == "row" => (),
            "end" => self.is_whole = true,
            "server" => self.server = Some(server(row)?),
            "timeouts" => self.timeouts = Some(parse(row)?),
            "override" => self.rest.overrides.push(parse(row)?),
            "database" => self.rest.databases.push(parse(row)?),
            "relation" => self.rest.relations.push(parse(row)?),
            "lock" => self.rest.locks.push(parse(row)?),
            "session" => self.rest.sessions.push(parse(row)?),
            "prepared" => self.rest.prepared.push(parse(row)?),
            _ => bail!("no such kind of row is known"),
        }
        Ok(())
    }

    /// Command tags have no comma; anything else was not printed by our script.
    fn note_a_foreign_line(&mut self, line: u64) {
        self.first_foreign_line.get_or_insert(line);
    }

    fn into_loaded(self) -> Result<Loaded> {
        let line = self.first_foreign_line.unwrap_or(1);
        let snapshot = self.into_snapshot(|| {
            format!(
                "not a snapshot: neither JSON that `scan --save` wrote nor CSV of `scan --print-sql` (line {line} is neither)"
            )
        })?;
        let source = Source {
            host: "psql".to_owned(),
            dbname: snapshot.viewer.database.clone(),
            user: snapshot.viewer.role.clone(),
            file: None,
        };
        Ok(Loaded {
            source,
            samples: vec![snapshot],
        })
    }

    fn into_snapshot(self, without_server: impl FnOnce() -> String) -> Result<Snapshot> {
        let server = self.server.with_context(without_server)?;
        if !self.is_whole {
            bail!("the CSV is cut off: its last row, of kind `end`, is missing");
        }
        let sample = Sample {
            server,
            timeouts: self.timeouts.unwrap_or_default(),
            overrides: self.rest.overrides,
            databases: self.rest.databases,
            relations: self.rest.relations,
            locks: self.rest.locks,
            sessions: self.rest.sessions,
            prepared: self.rest.prepared,
            poolers: Vec::new(),
            unread: Vec::new(),
        };
        sample.into_snapshot()
    }
}

fn server(row: &str) -> Result<ServerRow> {
    let Marker { lockaudit_rows } = parse(row)?;
    if lockaudit_rows != VERSION {
        bail!(
            "the rows have format {lockaudit_rows}, and this lockaudit reads format {VERSION}: print the SQL with this lockaudit and run it again"
        );
    }
    parse(row)
}

fn parse<T: DeserializeOwned>(row: &str) -> Result<T> {
    Ok(serde_json::from_str(row)?)
}
