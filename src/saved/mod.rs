//! Snapshots as files: our own versioned JSON, and the CSV that psql makes of `sql/snapshot_rows.sql`.
//!
//! Both hold the same rows, so a file is judged exactly as the server was. A file is foreign text:
//! whatever is wrong with it is an error that names the line, never a panic.

mod convert;
mod field;
mod pooler;
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

/// The sample that the rows of [`PSQL_SCRIPT`] tell, each a kind and its JSON.
///
/// # Errors
/// A row that no server shows, and rows that are not all there.
pub fn from_rows<'a>(rows: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Snapshot> {
    psql::from_rows(rows)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Expectations;
    use crate::planted::{Plant, PlantPooler, pooler, quiet};
    use crate::report::Report;
    use crate::snapshot::BlindSpot;
    use crate::snapshot::SessionState::{Active, Idle};
    use proptest::prelude::*;

    fn planted() -> Vec<Snapshot> {
        let snapshot = quiet()
            .session(10, Idle)
            .holds(10, -7)
            .session(11, Active)
            .waits(11, -7, 5)
            .session(12, Idle)
            .masked(12)
            .shares(12, 9)
            .prepared("it's \u{1b}[31m", 736, 444)
            .table_lock(10, 1259, true);
        let lent = pooler("transaction").serves(10).lends(10, "it's \u{1b}");
        let with_a_console = Snapshot {
            poolers: vec![lent.serves(11).queues(2, 3)],
            blind_spots: vec![BlindSpot::Console {
                because: "no answer".to_owned(),
                remedy: Some("ask again".to_owned()),
            }],
            ..snapshot.clone()
        };
        vec![snapshot, with_a_console]
    }

    fn saved() -> Vec<u8> {
        to_json(&Source::default(), &planted()).expect("it can be saved")
    }

    #[test]
    fn nothing_is_lost_on_the_way_through_a_file() {
        let loaded = load(&saved()).expect("it can be loaded");
        assert_eq!(loaded.samples.len(), 2);
        for (before, after) in planted().iter().zip(&loaded.samples) {
            assert_eq!(before.locks, after.locks);
            assert_eq!(before.sessions, after.sessions);
            assert_eq!(before.prepared, after.prepared);
            assert_eq!(before.databases, after.databases);
            assert_eq!(before.limits, after.limits);
            assert_eq!(before.timeouts, after.timeouts);
            assert_eq!(before.captured_at, after.captured_at);
            assert_eq!(before.poolers, after.poolers);
            for spot in &before.blind_spots {
                assert!(after.blind_spots.contains(spot), "{spot:?}");
            }
        }
    }

    /// Whatever a file holds, it is an error or a report, never a panic.
    fn survives(bytes: &[u8]) {
        if let Ok(loaded) = load(bytes) {
            let expectations = Expectations::default();
            let report =
                Report::of_samples(&loaded.source, &loaded.samples, &expectations, |_| true);
            assert!(report.is_some());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn a_damaged_file_never_panics(at: prop::sample::Index, byte: u8, length: prop::sample::Index) {
            let mut bytes = saved();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            survives(&bytes);
            bytes.truncate(length.index(bytes.len()));
            survives(&bytes);
        }

        #[test]
        fn a_value_of_another_size_never_panics(at: prop::sample::Index, value in "-?[0-9]{1,20}|null|\"x\"|[0-9]e9") {
            let text = String::from_utf8(saved()).expect("JSON is UTF-8");
            let numbers: Vec<(usize, &str)> = text
                .match_indices(|character: char| character.is_ascii_digit())
                .collect();
            let (start, _) = numbers[at.index(numbers.len())];
            let end = text[start..].find([',', '\n', '"']).map_or(text.len(), |end| start + end);
            survives(format!("{}{value}{}", &text[..start], &text[end..]).as_bytes());
        }

        #[test]
        fn any_text_never_panics(text in "\\PC{0,200}") {
            survives(text.as_bytes());
            survives(format!("kind,row\nserver,\"{text}\"\n").as_bytes());
        }
    }
}
