//! Rows of `sql/server.sql` and `sql/limits.sql`.

use anyhow::{Result, bail};
use tokio_postgres::{Client, Row};

use super::column::{get, required_text};
use super::question::{LIMITS, SERVER};
use crate::snapshot::{ConnectionPath, Limits, Server, Viewer};

/// The oldest server whose catalogs we know.
const OLDEST: i32 = 13;

/// Which server this is, as whom we look, and its limits; in one round trip.
pub(super) async fn read(
    client: &Client,
    path: ConnectionPath,
) -> Result<(Server, Viewer, Limits)> {
    let (server, limits) = tokio::join!(SERVER.ask_one(client), LIMITS.ask_one(client));
    let row = server?;
    let server = decode_server(&row, path)?;
    refuse_an_old(&server)?;
    Ok((server, decode_viewer(&row)?, decode_limits(&limits?)?))
}

fn refuse_an_old(server: &Server) -> Result<()> {
    if server.version_num / 10_000 < OLDEST {
        bail!(
            "the server is PostgreSQL {}, and lockaudit reads {OLDEST} and later",
            server.version
        );
    }
    Ok(())
}

fn decode_server(row: &Row, path: ConnectionPath) -> Result<Server> {
    Ok(Server {
        version_num: get(row, "version_num")?,
        version: required_text(row, "version")?,
        in_recovery: get(row, "in_recovery")?,
        started_at: get(row, "started_at")?,
        path,
    })
}

fn decode_viewer(row: &Row) -> Result<Viewer> {
    let superuser = get(row, "superuser")?;
    Ok(Viewer {
        pid: get(row, "pid")?,
        database: required_text(row, "database")?,
        role: required_text(row, "role")?,
        superuser,
        reads_all_stats: superuser,
    })
}

fn decode_limits(row: &Row) -> Result<Limits> {
    Ok(Limits {
        max_connections: get(row, "max_connections")?,
        superuser_reserved_connections: get(row, "superuser_reserved_connections")?,
        reserved_connections: get(row, "reserved_connections")?,
        max_locks_per_transaction: get(row, "max_locks_per_transaction")?,
        max_prepared_transactions: get(row, "max_prepared_transactions")?,
        autovacuum_workers: get(row, "autovacuum_workers")?,
        max_worker_processes: get(row, "max_worker_processes")?,
        max_wal_senders: get(row, "max_wal_senders")?,
        track_activities: get(row, "track_activities")?,
    })
}
