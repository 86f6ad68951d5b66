//! One sample: a short read-only transaction that reads the locks once, then the sessions and the
//! prepared transactions, all in one round trip.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::time::{Duration, SystemTime};

use anyhow::{Result, bail};
use tokio_postgres::error::SqlState;

use super::connect::Connection;
use super::failure::ServerWords;
use super::names::{self, Names};
use super::question::MOMENT;
use super::sessions::QueryTexts;
use super::transaction::{Frame, Text, Transaction};
use super::way_in::{self, WayIn};
use super::{column, locks, one_string, prepared, server, sessions, timeouts};
use crate::snapshot::blindness;
use crate::snapshot::{
    BlindSpot, ConnectionPath, Limits, Lock, PreparedTransaction, Server, Session, Snapshot,
    Target, Timeouts, Viewer,
};

/// Longer than the server's own limit for one statement: only a server or a pooler that answers
/// nothing at all is cut off by it.
pub(super) const ANSWER_WITHIN: Duration = Duration::from_secs(15);

/// How to look.
#[derive(Debug, Clone)]
pub struct Sampling {
    /// A role to look as, taken for each transaction anew.
    pub role: Option<String>,
    pub texts: QueryTexts,
}

/// What stays the same from sample to sample.
struct Setting {
    server: Server,
    viewer: Viewer,
    limits: Limits,
    names: Names,
    blind_spots: Vec<BlindSpot>,
}

/// What changes.
struct Rows {
    captured_at: SystemTime,
    /// Our own process in this transaction.
    pid: i32,
    locks: Vec<Lock>,
    sessions: Vec<Session>,
    prepared: Vec<PreparedTransaction>,
}

/// Takes one snapshot over an open connection. Text that the server can't convert is taken as it
/// is stored, in a second try.
///
/// # Errors
/// When a question is refused or not answered in time; each error says which.
pub async fn take(connection: &Connection, sampling: &Sampling) -> Result<Snapshot> {
    let first = connection.first_answer_within.unwrap_or(ANSWER_WITHIN);
    let way_in = in_time(first, way_in::of(connection)).await?;
    match way_in.path {
        ConnectionPath::Pooler(_) => take_through_a_pooler(connection, sampling, way_in).await,
        _ => take_in_transactions(connection, sampling, way_in).await,
    }
}

/// One string reads views, which take locks, and text in UTF-8: where the lock table is full or a text
/// is in another encoding, question by question still works, without our limits.
async fn take_through_a_pooler(
    connection: &Connection,
    sampling: &Sampling,
    way_in: WayIn,
) -> Result<Snapshot> {
    match one_string::take(connection, sampling, way_in).await {
        Err(error) if is_beyond_one_string(&error) && sampling.role.is_none() => {
            take_question_by_question(connection, sampling, way_in).await
        }
        taken => taken,
    }
}

async fn take_question_by_question(
    connection: &Connection,
    sampling: &Sampling,
    way_in: WayIn,
) -> Result<Snapshot> {
    let how = (Frame::Nothing, Text::Converted);
    match try_to_take(connection, sampling, way_in, how).await {
        Err(error) if is_encoding_failure(&error) && sampling.texts == QueryTexts::Read => {
            let without = Sampling {
                texts: QueryTexts::LeaveOut,
                ..sampling.clone()
            };
            let mut snapshot = try_to_take(connection, &without, way_in, how).await?;
            let because = refusal(&error).unwrap_or_default();
            let spot = BlindSpot::LeftOutText { because };
            snapshot.blind_spots.push(spot);
            Ok(snapshot)
        }
        taken => taken,
    }
}

async fn take_in_transactions(
    connection: &Connection,
    sampling: &Sampling,
    way_in: WayIn,
) -> Result<Snapshot> {
    let how = |text| (Frame::Transaction, text);
    match try_to_take(connection, sampling, way_in, how(Text::Converted)).await {
        Err(error) if is_encoding_failure(&error) => {
            let mut snapshot = try_to_take(connection, sampling, way_in, how(Text::Raw)).await?;
            let because = refusal(&error).unwrap_or_default();
            let spot = BlindSpot::ForeignText { because };
            snapshot.blind_spots.push(spot);
            Ok(snapshot)
        }
        taken => taken,
    }
}

async fn try_to_take(
    connection: &Connection,
    sampling: &Sampling,
    way_in: WayIn,
    (frame, text): (Frame, Text),
) -> Result<Snapshot> {
    let transaction = Transaction {
        frame,
        client: &connection.client,
        role: sampling.role.as_deref(),
        text,
    };
    let setting = in_time(ANSWER_WITHIN, read_setting(transaction, way_in.path)).await?;
    let rows = read_rows(transaction, sampling.texts, &setting);
    let rows = in_time(ANSWER_WITHIN, rows).await?;
    let (limits, unread) = in_time(
        ANSWER_WITHIN,
        read_time_limits(transaction, &setting, &rows),
    )
    .await?;
    let mut snapshot = assemble(setting, rows);
    snapshot.server.path = way_in.path_of_sample_in(snapshot.viewer.pid);
    snapshot.timeouts = limits;
    snapshot.blind_spots.extend(unread);
    in_time(ANSWER_WITHIN, name_relations(transaction, &mut snapshot)).await?;
    let seen = blindness::of(&snapshot);
    snapshot.blind_spots.extend(seen);
    Ok(snapshot)
}

pub(super) async fn in_time<T>(
    limit: Duration,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    match tokio::time::timeout(limit, work).await {
        Ok(answer) => answer,
        Err(_) => bail!(
            "the server accepted the connection but did not answer within {} s (a pooler may be paused or have no server connection free)",
            limit.as_secs_f64()
        ),
    }
}

/// Names are asked for last: where they fail, the rest has been answered.
async fn read_setting(transaction: Transaction<'_>, path: ConnectionPath) -> Result<Setting> {
    let client = transaction.client;
    let work = async {
        let (server, names) = tokio::join!(server::read(client, path), Names::read(client));
        Ok((server?, names))
    };
    let ((server, mut viewer, limits), names) = transaction.run(work).await?;
    let (names, blind_spot) = match names {
        Ok(names) => (names, None),
        Err(error) => {
            let because = tolerable(error)?;
            (Names::default(), Some(BlindSpot::Names { because }))
        }
    };
    viewer.reads_all_stats |= names.reads_all_stats;
    Ok(Setting {
        server,
        viewer,
        limits,
        names,
        blind_spots: blind_spot.into_iter().collect(),
    })
}

async fn read_rows(
    transaction: Transaction<'_>,
    texts: QueryTexts,
    setting: &Setting,
) -> Result<Rows> {
    let client = transaction.client;
    let major = setting.server.version_num / 10_000;
    let work = async {
        let (locks, moment, sessions, prepared) = tokio::join!(
            locks::read(client, major),
            MOMENT.ask_one(client),
            sessions::read(client, texts, &setting.names),
            prepared::read(client, &setting.names),
        );
        let (locks, moment) = (locks?, moment?);
        Ok(Rows {
            locks,
            captured_at: column::get(&moment, "captured_at")?,
            pid: column::get(&moment, "pid")?,
            sessions: sessions?,
            prepared: prepared?,
        })
    };
    transaction.run(work).await
}

/// Our own locks are left out but for advisory ones: we take none, so those are of another client,
/// whose server connection a pooler has lent us.
/// Time limits matter where somebody holds or wants an advisory lock; a quiet server is not asked.
/// The session's own come first: in the transaction some of them are ours.
async fn read_time_limits(
    transaction: Transaction<'_>,
    setting: &Setting,
    rows: &Rows,
) -> Result<(Timeouts, Option<BlindSpot>)> {
    if !rows
        .locks
        .iter()
        .any(|lock| lock.target.advisory().is_some())
    {
        return Ok((Timeouts::default(), None));
    }
    let client = transaction.client;
    let overrides = timeouts::overrides(client, &setting.names);
    let (defaults, overrides) = tokio::join!(timeouts::read(client), transaction.run(overrides));
    let defaults = defaults?;
    match overrides {
        Ok(overrides) => Ok((
            Timeouts {
                defaults,
                overrides,
            },
            None,
        )),
        Err(error) => {
            let because = tolerable(error)?;
            Ok((Timeouts::default(), Some(BlindSpot::TimeLimits { because })))
        }
    }
}

fn assemble(setting: Setting, rows: Rows) -> Snapshot {
    let viewer = Viewer {
        pid: rows.pid,
        ..setting.viewer
    };
    let is_ours = |lock: &Lock| {
        lock.owner.pid() == Some(viewer.pid) && matches!(lock.target, Target::Other(_))
    };
    let mut snapshot = Snapshot {
        captured_at: rows.captured_at,
        locks: rows
            .locks
            .into_iter()
            .filter(|lock| !is_ours(lock))
            .collect(),
        left_out: 0,
        server: setting.server,
        viewer,
        limits: setting.limits,
        timeouts: Timeouts::default(),
        sessions: rows.sessions,
        prepared: rows.prepared,
        databases: setting.names.databases,
        relations: BTreeMap::new(),
        poolers: Vec::new(),
        blind_spots: setting.blind_spots,
    };
    snapshot.sort();
    snapshot
}

/// Only relations of the connected database have names here: those that somebody waits for, and
/// those whose oid is in a key that somebody waits for.
async fn name_relations(transaction: Transaction<'_>, snapshot: &mut Snapshot) -> Result<()> {
    let Some((database, oids)) = relations_waited_for(snapshot) else {
        return Ok(());
    };
    let names = names::relations(transaction.client, &oids);
    match transaction.run(names).await {
        Ok(named) => snapshot
            .relations
            .extend(named.into_iter().map(|(oid, name)| ((database, oid), name))),
        Err(error) => {
            let because = tolerable(error)?;
            let spot = BlindSpot::RelationNames { because };
            snapshot.blind_spots.push(spot);
        }
    }
    Ok(())
}

fn relations_waited_for(snapshot: &Snapshot) -> Option<(u32, Vec<u32>)> {
    let ours = snapshot.database_oid(&snapshot.viewer.database)?;
    let waiting = snapshot.locks.iter().filter(|lock| !lock.granted);
    let oids: BTreeSet<u32> = waiting
        .filter(|lock| lock.target.database() == Some(ours))
        .flat_map(|lock| relations_of(&lock.target))
        .collect();
    (!oids.is_empty()).then(|| (ours, oids.into_iter().collect()))
}

/// Of a pair of integers each may be a table's oid; lower ones are the system's, and small numbers
/// mean other things.
fn relations_of(target: &Target) -> Vec<u32> {
    const FIRST_OF_USERS: u32 = 16_384;
    match target {
        Target::Other(other) => other.relation.into_iter().collect(),
        Target::Advisory { tag, .. } if tag.objsubid == 2 => [tag.classid, tag.objid]
            .into_iter()
            .filter(|oid| *oid >= FIRST_OF_USERS)
            .collect(),
        Target::Advisory { .. } => Vec::new(),
    }
}

/// Why names could not be read, if it was the server that refused them and no other form of text
/// would help.
fn tolerable(error: anyhow::Error) -> Result<String> {
    match refusal(&error) {
        Some(because) if !is_encoding_failure(&error) => Ok(because),
        _ => Err(error),
    }
}

/// The server's words, if it was the server that refused; a lost connection is not a refusal.
fn refusal(error: &anyhow::Error) -> Option<String> {
    server_words(error).map(ServerWords::to_string)
}

fn is_beyond_one_string(error: &anyhow::Error) -> bool {
    let is_full = |words: &ServerWords| words.sqlstate == SqlState::OUT_OF_MEMORY.code();
    server_words(error).is_some_and(is_full)
        || is_encoding_failure(error)
        || error.is::<one_string::NotUtf8>()
}

fn is_encoding_failure(error: &anyhow::Error) -> bool {
    let codes = [
        SqlState::CHARACTER_NOT_IN_REPERTOIRE,
        SqlState::UNTRANSLATABLE_CHARACTER,
    ];
    server_words(error).is_some_and(|words| codes.iter().any(|code| code.code() == words.sqlstate))
}

pub(super) fn server_words(error: &anyhow::Error) -> Option<&ServerWords> {
    error.chain().find_map(|cause| cause.downcast_ref())
}
