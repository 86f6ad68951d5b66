//! Snapshots as files: our own versioned JSON, and the CSV that psql makes of `sql/snapshot_rows.sql`.
//!
//! Both hold the same rows, so a file is judged exactly as the server was. A file is foreign text:
//! whatever is wrong with it is an error that names the line, never a panic.

mod convert;
mod field;
mod psql;
mod rows;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::snapshot::{Snapshot, Source};
use rows::Sample;

/// The SQL for a machine where only psql runs.
pub const PSQL_SCRIPT: &str = include_str!("../../sql/snapshot_rows.sql");

/// The file format's version; a file of a later one is refused.
const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
struct SavedFile {
    lockaudit_snapshot: u32,
    written_by: String,
    source: SavedSource,
    /// Oldest first.
    samples: Vec<Sample>,
}

/// What tells a newer file from a foreign one before the rest is looked at.
#[derive(Debug, Deserialize)]
struct Marker {
    lockaudit_snapshot: Option<u32>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SavedSource {
    host: String,
    dbname: String,
    user: String,
}

/// What a file holds: samples, oldest first, at least one.
#[derive(Debug)]
pub struct Loaded {
    pub source: Source,
    pub samples: Vec<Snapshot>,
}

/// The file for these samples, oldest first.
pub fn to_json(source: &Source, samples: &[Snapshot]) -> serde_json::Result<Vec<u8>> {
    let file = SavedFile {
        lockaudit_snapshot: VERSION,
        written_by: concat!("lockaudit ", env!("CARGO_PKG_VERSION")).to_owned(),
        source: SavedSource {
            host: source.host.clone(),
            dbname: source.dbname.clone(),
            user: source.user.clone(),
        },
        samples: samples.iter().map(Sample::of).collect(),
    };
    let mut bytes = serde_json::to_vec_pretty(&file)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Reads a file of either kind.
///
/// # Errors
/// A file that is neither, is cut off, of a later version, or holds a value that no server shows:
/// each with the line.
pub fn load(bytes: &[u8]) -> Result<Loaded> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        anyhow::anyhow!("line {} holds bytes that are no UTF-8", line_of(before))
    })?;
    match text.trim_start().as_bytes().first() {
        None => bail!("the file is empty"),
        Some(b'{') => from_json(text),
        Some(_) => psql::load(text),
    }
}

fn line_of(before: &[u8]) -> usize {
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}

fn from_json(text: &str) -> Result<Loaded> {
    let marker: Marker = serde_json::from_str(text).context("the JSON is damaged or cut off")?;
    match marker.lockaudit_snapshot {
        None => bail!(
            "not a snapshot that lockaudit saved: it is JSON without `lockaudit_snapshot` (`scan --format json` is a result; `scan --save` makes a snapshot)"
        ),
        Some(VERSION) => (),
        Some(other) => bail!(
            "the snapshot has format {other}, and this lockaudit reads format {VERSION}: use the lockaudit that wrote it, or a later one"
        ),
    }
    let file: SavedFile = serde_json::from_str(text).context("the snapshot is damaged")?;
    let samples = file
        .samples
        .into_iter()
        .map(Sample::into_snapshot)
        .collect::<Result<Vec<_>>>()?;
    if samples.is_empty() {
        bail!("the snapshot holds no sample");
    }
    let SavedSource { host, dbname, user } = file.source;
    Ok(Loaded {
        source: Source {
            host,
            dbname,
            user,
            file: None,
        },
        samples,
    })
}
