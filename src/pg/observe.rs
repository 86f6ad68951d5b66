//! One look at a server: connect, take a sample, say goodbye. A server without room for us has
//! answered too, by its refusal.

use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};

use super::connect::{Connection, connect};
use super::console::OpenConsoles;
use super::failure::{ConnectFailure, FailureKind, NoSlot};
use super::runtime::runtime;
use super::sample::{self, Sampling};
use super::settings::Resolved;
use super::target::Target;
use super::transaction::refuses_transactions;
use crate::pooler::backends;
use crate::snapshot::{Consoles, Refusal, RefusalKind, Snapshot, Source};

/// What came of looking.
#[derive(Debug)]
pub struct Observed {
    pub source: Source,
    pub outcome: Observation,
}

/// How many samples, and how far apart.
#[derive(Debug, Clone, Copy)]
pub struct Series {
    pub samples: u32,
    pub interval: Duration,
}

#[derive(Debug)]
pub enum Observation {
    /// Oldest first, at least one.
    Seen(Vec<Snapshot>),
    /// No room for us. `at` is by our own clock.
    Refused {
        refusal: Refusal,
        at: SystemTime,
        /// What the consoles knew all the same.
        consoles: Consoles,
    },
}

/// Looks at the server, and between each two samples at the consoles of the poolers in front of it. A
/// console that can't be read is a blind spot and no error.
///
/// # Errors
/// [`ConnectFailure`] when no connection came about for another reason than want of room, and whatever kept
/// the sample from being taken.
pub fn observe(
    resolved: &Resolved,
    consoles: &[Resolved],
    sampling: &Sampling,
    series: Series,
) -> Result<Observed> {
    runtime()?.block_on(async {
        let mut consoles = OpenConsoles::open(consoles).await;
        let observed = look(resolved, &mut consoles, sampling, series).await;
        consoles.close().await;
        observed
    })
}

async fn look(
    resolved: &Resolved,
    consoles: &mut OpenConsoles,
    sampling: &Sampling,
    series: Series,
) -> Result<Observed> {
    let target = &resolved.target;
    match connect(target).await {
        Ok(connection) => {
            let source = source(target, connection.endpoint.to_string());
            let samples = take(&connection, consoles, sampling, series).await;
            connection.close().await;
            let samples = match samples {
                Err(error) if refuses_transactions(&error) => {
                    by_statement(resolved, consoles, sampling, series).await
                }
                samples => samples,
            };
            Ok(Observed {
                source,
                outcome: Observation::Seen(samples?),
            })
        }
        Err(failure) => refused(resolved, consoles, failure).await,
    }
}

/// Takes all samples over the one connection, each in a transaction of its own. What a console shows
/// proves nothing unless the server shows the same before and after: with a console there are two
/// samples at least.
async fn take(
    connection: &Connection,
    consoles: &mut OpenConsoles,
    sampling: &Sampling,
    series: Series,
) -> Result<Vec<Snapshot>> {
    connection.refuse_admin_console()?;
    let mut samples = vec![take_one(connection, sampling).await?];
    for _ in 1..series.samples {
        tokio::time::sleep(series.interval).await;
        samples.push(take_after(consoles, connection, sampling).await?);
    }
    if samples.len() == 1 && !consoles.is_empty() {
        samples.push(take_after(consoles, connection, sampling).await?);
    }
    Ok(samples)
}

async fn take_after(
    consoles: &mut OpenConsoles,
    connection: &Connection,
    sampling: &Sampling,
) -> Result<Snapshot> {
    let Consoles { answered, unread } = consoles.read().await;
    let mut snapshot = take_one(connection, sampling).await?;
    snapshot.poolers = answered;
    snapshot.blind_spots.extend(unread);
    let unjoined = backends::unjoined(&snapshot);
    snapshot.blind_spots.extend(unjoined);
    Ok(snapshot)
}

pub(super) async fn take_one(connection: &Connection, sampling: &Sampling) -> Result<Snapshot> {
    let taken = sample::take(connection, sampling).await;
    match connection.unasked.fatal() {
        Some(last_words) => {
            taken.with_context(|| format!("the server ended the session: {last_words}"))
        }
        None => taken,
    }
}

/// PgBouncer ends a session that begins a transaction in a pool of mode `statement`, and the server
/// connection that it was lent. We begin none where the way in shows a pooler, so that this was a
/// connection opened for us.
async fn by_statement(
    resolved: &Resolved,
    consoles: &mut OpenConsoles,
    sampling: &Sampling,
    series: Series,
) -> Result<Vec<Snapshot>> {
    let connected = connect(&resolved.target).await;
    let connection =
        connected.map_err(|failure| with_places(failure, &resolved.password_sources_tried))?;
    connection.shares_by_statement();
    let samples = take(&connection, consoles, sampling, series).await;
    connection.close().await;
    samples
}

async fn refused(
    resolved: &Resolved,
    consoles: &mut OpenConsoles,
    failure: ConnectFailure,
) -> Result<Observed> {
    let Some(kind) = want_of_room(failure.kind) else {
        return Err(with_places(failure, &resolved.password_sources_tried).into());
    };
    let host = match &failure.host {
        Some(host) => host.to_string(),
        None => hosts(&resolved.target),
    };
    Ok(Observed {
        source: source(&resolved.target, host),
        outcome: Observation::Refused {
            refusal: refusal(kind, &failure),
            at: now(),
            consoles: consoles.read().await,
        },
    })
}

fn want_of_room(kind: FailureKind) -> Option<RefusalKind> {
    match kind {
        FailureKind::LockTableFull => Some(RefusalKind::LockTableFull),
        FailureKind::NoSlotLeft(slot) => Some(match slot {
            NoSlot::AllTaken => RefusalKind::AllSlotsTaken,
            NoSlot::OnlySuperuserSlotsLeft => RefusalKind::OnlySuperuserSlotsLeft,
            NoSlot::OnlyReservedSlotsLeft => RefusalKind::OnlyReservedSlotsLeft,
            NoSlot::RoleLimit => RefusalKind::RoleLimit,
            NoSlot::DatabaseLimit => RefusalKind::DatabaseLimit,
            NoSlot::PoolerFull => RefusalKind::PoolerFull,
            NoSlot::Unknown => RefusalKind::Unknown,
        }),
        _ => None,
    }
}

fn refusal(kind: RefusalKind, failure: &ConnectFailure) -> Refusal {
    let message = match &failure.words {
        Some(words) => words.message.clone(),
        None => failure.sentence.clone(),
    };
    Refusal {
        kind,
        sqlstate: failure.sqlstate.as_deref().unwrap_or_default().to_owned(),
        message,
    }
}

/// A missing password is explained by where one was looked for.
pub(super) fn with_places(mut failure: ConnectFailure, tried: &[String]) -> ConnectFailure {
    if failure.kind == FailureKind::PasswordMissing {
        failure.causes.extend(tried.iter().cloned());
    }
    failure
}

pub(super) fn source(target: &Target, host: String) -> Source {
    Source {
        host,
        dbname: target.dbname.clone(),
        user: target.user.clone(),
        file: None,
    }
}

fn hosts(target: &Target) -> String {
    let hosts: Vec<String> = target
        .hosts
        .iter()
        .map(|host| host.endpoint.to_string())
        .collect();
    hosts.join(", ")
}

#[expect(
    clippy::disallowed_methods,
    reason = "a server that refuses us tells us no time"
)]
fn now() -> SystemTime {
    SystemTime::now()
}
