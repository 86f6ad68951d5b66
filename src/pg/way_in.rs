//! Rows of `sql/way_in.sql`: what lies between us and the server, asked once a connection, before
//! any transaction.

use std::time::{Duration, SystemTime};

use anyhow::Result;

use super::column::{get, text};
use super::connect::Connection;
use super::question::WAY_IN;
use crate::pooler::signs;
use crate::snapshot::{Arrival, ConnectionPath, PoolerSign};

/// How we came in, and the process that we came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WayIn {
    pub path: ConnectionPath,
    pub pid: i32,
}

impl WayIn {
    /// A pooler is proven too by what came later: another process.
    pub(super) fn path_of_sample_in(self, pid: i32) -> ConnectionPath {
        match self.path {
            ConnectionPath::PoolerOrNat | ConnectionPath::Unknown if pid != self.pid => {
                ConnectionPath::Pooler(PoolerSign::AnotherBackend)
            }
            known => known,
        }
    }
}

/// How `connection` came in, as its first answer said.
pub(super) async fn of(connection: &Connection) -> Result<WayIn> {
    if let Some(known) = connection.way_in.get() {
        return Ok(*known);
    }
    let asked = ask(connection).await?;
    Ok(*connection.way_in.get_or_init(|| asked))
}

async fn ask(connection: &Connection) -> Result<WayIn> {
    let row = WAY_IN.ask_one(&connection.client).await?;
    let began: Option<SystemTime> = get(&row, "backend_start")?;
    let now: SystemTime = get(&row, "now")?;
    let open_for = connection.dialled.elapsed();
    let name = text(&row, "application_name")?;
    let arrival = Arrival {
        local_port: connection.local_port,
        seen_port: get(&row, "client_port")?,
        is_older: began.is_some_and(|began| is_older(began, now, open_for)),
        is_renamed: name
            .as_deref()
            .is_some_and(|seen| signs::renamed_us(&connection.application_name, seen)),
    };
    Ok(WayIn {
        path: arrival.path(),
        pid: get(&row, "pid")?,
    })
}

/// By the server's clock alone, and by how long we have been waiting: our own clock may be wrong.
/// The answer took a while to come, so that what is called older here is.
fn is_older(began: SystemTime, now: SystemTime, open_for: Duration) -> bool {
    const ROUNDING: Duration = Duration::from_millis(1);
    now.duration_since(began)
        .is_ok_and(|age| age > open_for + ROUNDING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_older_only_if_it_began_before_we_dialled() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let second = Duration::from_secs(1);
        assert!(is_older(now - 2 * second, now, second));
        assert!(!is_older(now - second, now, second));
        assert!(!is_older(now - second / 2, now, second));
        assert!(
            !is_older(now + second, now, second),
            "the clock was set back"
        );
    }

    #[test]
    fn a_sample_in_another_process_came_through_a_pooler() {
        let came = |path| WayIn { path, pid: 7 };
        let another = ConnectionPath::Pooler(PoolerSign::AnotherBackend);
        for path in [ConnectionPath::PoolerOrNat, ConnectionPath::Unknown] {
            assert_eq!(came(path).path_of_sample_in(8), another);
            assert_eq!(came(path).path_of_sample_in(7), path);
        }
        let direct = came(ConnectionPath::Direct);
        assert_eq!(direct.path_of_sample_in(8), ConnectionPath::Direct);
    }
}
