//! One sample: a short read-only transaction that reads the locks once, then the sessions and the
//! prepared transactions, all in one round trip.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::failure::ServerWords;
use super::names::{self, Names};
use super::question::{BEGIN, MOMENT, SET_ROLE, in_words};
use super::sessions::QueryTexts;
use super::{column, locks, prepared, server, sessions, timeouts};
use crate::snapshot::blindness;
use crate::snapshot::{
    BlindSpot, Limits, Lock, PreparedTransaction, Server, Session, Snapshot, Target, Timeouts,
    Viewer,
};

/// Longer than the server's own limit for one statement: only a server or a pooler that answers
/// nothing at all is cut off by it.
const ANSWER_WITHIN: Duration = Duration::from_secs(15);

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
    timeouts: Timeouts,
    names: Names,
    blind_spots: Vec<BlindSpot>,
}

/// What changes.
struct Rows {
    captured_at: SystemTime,
    locks: Vec<Lock>,
    sessions: Vec<Session>,
    prepared: Vec<PreparedTransaction>,
}

/// Takes one snapshot over a connection whose own TCP port is `local_port`.
///
/// # Errors
/// When a question is refused or not answered in time; each error says which.
pub async fn take(
    client: &Client,
    local_port: Option<u16>,
    sampling: &Sampling,
) -> Result<Snapshot> {
    let setting = in_time(read_setting(client, local_port, sampling)).await?;
    let (rows, texts) = in_time(read_rows(client, sampling, &setting)).await?;
    let mut snapshot = assemble(setting, rows);
    snapshot.blind_spots.extend(texts);
    in_time(name_relations(client, sampling, &mut snapshot)).await?;
    let seen = blindness::of(&snapshot);
    snapshot.blind_spots.extend(seen);
    Ok(snapshot)
}

async fn in_time<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    match tokio::time::timeout(ANSWER_WITHIN, work).await {
        Ok(answer) => answer,
        Err(_) => bail!(
            "the server accepted the connection but did not answer within {} s (a pooler may be paused or have no server connection free)",
            ANSWER_WITHIN.as_secs()
        ),
    }
}

/// Names are asked for last: where they fail, the rest has been answered.
async fn read_setting(
    client: &Client,
    local_port: Option<u16>,
    sampling: &Sampling,
) -> Result<Setting> {
    let work = async {
        let (server, names) = tokio::join!(server::read(client, local_port), Names::read(client));
        Ok((server?, names))
    };
    // The time limits are asked for first: in the transaction some of them are ours.
    let (defaults, answers) = tokio::join!(
        timeouts::read(client),
        in_transaction(client, sampling, work)
    );
    let ((server, viewer, limits), names) = answers?;
    let (names, blind_spot) = match names {
        Ok(names) => (names, None),
        Err(error) => (Names::default(), Some(unnamed(&error)?)),
    };
    Ok(Setting {
        server,
        viewer,
        limits,
        timeouts: Timeouts {
            defaults: defaults?,
            overrides: names.overrides.clone(),
        },
        names,
        blind_spots: blind_spot.into_iter().collect(),
    })
}

fn unnamed(error: &anyhow::Error) -> Result<BlindSpot> {
    let because = refusal(error).with_context(|| format!("{error:#}"))?;
    Ok(BlindSpot::Names { because })
}

/// Reads the rows; a second time without the query texts when the server can't convert them.
async fn read_rows(
    client: &Client,
    sampling: &Sampling,
    setting: &Setting,
) -> Result<(Rows, Option<BlindSpot>)> {
    match try_rows(client, sampling, setting, sampling.texts).await {
        Err(error) if is_encoding_failure(&error) => {
            let rows = try_rows(client, sampling, setting, QueryTexts::LeaveOut).await?;
            let because = refusal(&error).unwrap_or_default();
            Ok((rows, Some(BlindSpot::QueryTexts { because })))
        }
        rows => Ok((rows?, None)),
    }
}

async fn try_rows(
    client: &Client,
    sampling: &Sampling,
    setting: &Setting,
    texts: QueryTexts,
) -> Result<Rows> {
    let major = setting.server.version_num / 10_000;
    let work = async {
        let (locks, moment, sessions, prepared) = tokio::join!(
            locks::read(client, major),
            MOMENT.ask_one(client),
            sessions::read(client, texts, &setting.names),
            prepared::read(client, &setting.names),
        );
        Ok(Rows {
            locks: locks?,
            captured_at: column::get(&moment?, "captured_at")?,
            sessions: sessions?,
            prepared: prepared?,
        })
    };
    in_transaction(client, sampling, work).await
}

fn assemble(setting: Setting, rows: Rows) -> Snapshot {
    let viewer = setting.viewer;
    let is_ours = |lock: &Lock| lock.owner.pid() == Some(viewer.pid);
    let mut snapshot = Snapshot {
        captured_at: rows.captured_at,
        locks: rows
            .locks
            .into_iter()
            .filter(|lock| !is_ours(lock))
            .collect(),
        server: setting.server,
        viewer,
        limits: setting.limits,
        timeouts: setting.timeouts,
        sessions: rows.sessions,
        prepared: rows.prepared,
        databases: setting.names.databases,
        relations: BTreeMap::new(),
        blind_spots: setting.blind_spots,
    };
    snapshot.sort();
    snapshot
}

/// Only relations of the connected database have names here, and only those that somebody waits for.
async fn name_relations(
    client: &Client,
    sampling: &Sampling,
    snapshot: &mut Snapshot,
) -> Result<()> {
    let wanted = relations_waited_for(snapshot);
    let Some((database, oids)) = wanted else {
        return Ok(());
    };
    match in_transaction(client, sampling, names::relations(client, &oids)).await {
        Ok(named) => snapshot
            .relations
            .extend(named.into_iter().map(|(oid, name)| ((database, oid), name))),
        Err(error) => {
            let because = refusal(&error).with_context(|| format!("{error:#}"))?;
            snapshot
                .blind_spots
                .push(BlindSpot::RelationNames { because });
        }
    }
    Ok(())
}

fn relations_waited_for(snapshot: &Snapshot) -> Option<(u32, Vec<u32>)> {
    let ours = snapshot
        .databases
        .iter()
        .find(|(_, database)| database.name == snapshot.viewer.database)
        .map(|(oid, _)| *oid)?;
    let waiting = snapshot.locks.iter().filter(|lock| !lock.granted);
    let oids: BTreeSet<u32> = waiting
        .filter_map(|lock| match &lock.target {
            Target::Other(other) if other.database == Some(ours) => other.relation,
            _ => None,
        })
        .collect();
    (!oids.is_empty()).then(|| (ours, oids.into_iter().collect()))
}

/// Sends the whole transaction at once. `work` must ask all its questions in its first poll, or
/// they would come after the `COMMIT`.
async fn in_transaction<T>(
    client: &Client,
    sampling: &Sampling,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let take_role = async {
        match &sampling.role {
            Some(role) => SET_ROLE.ask(client, &[role]).await.map(|_| ()),
            None => Ok(()),
        }
    };
    let (begun, role, answer, ended) = tokio::join!(
        client.batch_execute(BEGIN.sql),
        take_role,
        work,
        client.batch_execute("COMMIT"),
    );
    begun
        .map_err(in_words)
        .with_context(|| format!("could not {}", BEGIN.purpose))?;
    role?;
    let answer = answer?;
    ended
        .map_err(in_words)
        .context("could not end the read-only transaction")?;
    Ok(answer)
}

/// The server's words, if it was the server that refused; a lost connection is not a refusal.
fn refusal(error: &anyhow::Error) -> Option<String> {
    server_words(error).map(ServerWords::to_string)
}

fn is_encoding_failure(error: &anyhow::Error) -> bool {
    let codes = [
        SqlState::CHARACTER_NOT_IN_REPERTOIRE,
        SqlState::UNTRANSLATABLE_CHARACTER,
    ];
    server_words(error).is_some_and(|words| codes.iter().any(|code| code.code() == words.sqlstate))
}

fn server_words(error: &anyhow::Error) -> Option<&ServerWords> {
    error.chain().find_map(|cause| cause.downcast_ref())
}
