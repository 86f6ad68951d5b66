//! The consoles that a scan was told of: opened before the server is asked, and read between two reads of
//! its locks.

use std::net::IpAddr;
use std::time::Duration;

use anyhow::{Context, Result};

use super::answer::Answer;
use super::decode::{Answers, pooler};
use crate::pg::connect::{Address, Connection, connect};
use crate::pg::failure::{ConnectFailure, FailureKind, PoolerRefusal};
use crate::pg::settings::Resolved;
use crate::snapshot::{BlindSpot, Consoles, Pooler, is_console};

/// A console answers from memory: one that takes longer is stuck, and the scan must not be.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// Consoles to be asked again and again; those that let nobody in stay blind spots.
pub(in crate::pg) struct OpenConsoles(Vec<Console>);

enum Console {
    Open {
        connection: Box<Connection>,
        address: Option<IpAddr>,
    },
    Lost(BlindSpot),
}

impl OpenConsoles {
    /// Opens them all at once, so that one that is silent holds up no other.
    pub async fn open(consoles: &[Resolved]) -> Self {
        let open = consoles.iter().map(Console::open);
        Self(futures_util::future::join_all(open).await)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads them all at once.
    pub async fn read(&mut self) -> Consoles {
        let read = self.0.iter_mut().map(Console::read);
        let mut consoles = Consoles::default();
        for answer in futures_util::future::join_all(read).await {
            match answer {
                Ok(pooler) => consoles.answered.push(pooler),
                Err(spot) => consoles.unread.push(spot),
            }
        }
        consoles
    }

    /// Says goodbye to each.
    pub async fn close(self) {
        for console in self.0 {
            if let Console::Open { connection, .. } = console {
                connection.close().await;
            }
        }
    }
}

impl Console {
    async fn open(resolved: &Resolved) -> Self {
        let connection = match connect(&resolved.target).await {
            Ok(connection) => connection,
            Err(failure) => {
                return Self::Lost(not_let_in(&failure, &resolved.target.dbname));
            }
        };
        if !connection.is_admin_console() {
            let spot = no_console(&connection);
            connection.close().await;
            return Self::Lost(spot);
        }
        let address = match &connection.address {
            Address::Tcp(address) => Some(address.ip().to_canonical()),
            Address::Unix(_) => None,
        };
        Self::Open {
            connection: Box::new(connection),
            address,
        }
    }

    /// One that breaks off or says what no PgBouncer says is not asked again.
    async fn read(&mut self) -> Result<Pooler, BlindSpot> {
        let (connection, address) = match self {
            Self::Open {
                connection,
                address,
            } => (connection, *address),
            Self::Lost(spot) => return Err(spot.clone()),
        };
        let console = connection.endpoint.to_string();
        let asked = ask(connection).await.and_then(|answers| pooler(&answers));
        match asked {
            Ok(pooler) => Ok(Pooler {
                console,
                address,
                ..pooler
            }),
            Err(error) => {
                let spot = BlindSpot::Console {
                    because: format!("{console}: {error:#}"),
                    remedy: None,
                };
                *self = Self::Lost(spot.clone());
                Err(spot)
            }
        }
    }
}

/// Servers and clients follow each other at once: a link that changes in between is noticed by the
/// server's locks.
async fn ask(connection: &Connection) -> Result<Answers> {
    Ok(Answers {
        version: show(connection, "SHOW VERSION").await?,
        databases: show(connection, "SHOW DATABASES").await?,
        users: show(connection, "SHOW USERS").await?,
        config: show(connection, "SHOW CONFIG").await?,
        pools: show(connection, "SHOW POOLS").await?,
        servers: show(connection, "SHOW SERVERS").await?,
        clients: show(connection, "SHOW CLIENTS").await?,
    })
}

async fn show(connection: &Connection, command: &'static str) -> Result<Answer> {
    let answer = connection.client.simple_query(command);
    let messages = tokio::time::timeout(ANSWER_WITHIN, answer)
        .await
        .with_context(|| format!("no answer to {command} in {} s", ANSWER_WITHIN.as_secs()))?
        .map_err(crate::pg::question::in_words)
        .with_context(|| format!("could not ask {command}"))?;
    Ok(Answer::of(command, &messages))
}

/// No console has another database than `pgbouncer`, whatever was said against the role.
fn not_let_in(failure: &ConnectFailure, database: &str) -> BlindSpot {
    let answered = failure.words.is_some();
    let remedy = match failure.kind {
        _ if answered && !is_console(database) => Some(format!(
            "the console's database is pgbouncer, and this asks for {database}: leave dbname out of --pgbouncer"
        )),
        FailureKind::UnknownDatabase => Some(
            "is it the address of PgBouncer? PostgreSQL itself has no database of that name"
                .to_owned(),
        ),
        FailureKind::Pooler(PoolerRefusal::NotAllowed) => {
            Some("add the role to stats_users of PgBouncer, or use another role".to_owned())
        }
        _ => failure.hint.clone(),
    };
    let words = failure.words.as_ref();
    let said = words.map_or(String::new(), |words| format!(": {}", words.message));
    BlindSpot::Console {
        because: format!("{failure}{said}"),
        remedy,
    }
}

fn no_console(connection: &Connection) -> BlindSpot {
    BlindSpot::Console {
        because: format!(
            "{} is no console of PgBouncer: it answers as PostgreSQL {}",
            connection.endpoint, connection.server_version
        ),
        remedy: Some(
            "give --pgbouncer the address of PgBouncer and its database pgbouncer, and the server as CONNECTION".to_owned(),
        ),
    }
}
