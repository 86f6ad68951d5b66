//! The rows of one sample, as both kinds of file hold them: catalog names, catalog values.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::field;
use super::pooler::PoolerRow;

/// One sample. What a list lacks was not there, not "not read": that is said in `unread`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Sample {
    pub server: ServerRow,
    pub timeouts: TimeoutsRow,
    #[serde(default)]
    pub overrides: Vec<OverrideRow>,
    #[serde(default)]
    pub databases: Vec<DatabaseRow>,
    #[serde(default)]
    pub relations: Vec<RelationRow>,
    pub locks: Vec<LockRow>,
    pub sessions: Vec<SessionRow>,
    #[serde(default)]
    pub prepared: Vec<PreparedRow>,
    #[serde(default)]
    pub poolers: Vec<PoolerRow>,
    #[serde(default)]
    pub unread: Vec<UnreadRow>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ServerRow {
    #[serde(with = "field::time")]
    pub captured_at: SystemTime,
    pub server_version_num: i32,
    pub server_version: String,
    pub in_recovery: bool,
    #[serde(with = "field::optional_time", default)]
    pub started_at: Option<SystemTime>,
    #[serde(default)]
    pub connection_path: Option<String>,
    #[serde(default)]
    pub connection_path_basis: Option<String>,
    pub pid: i32,
    pub database: String,
    pub role: String,
    pub superuser: bool,
    pub reads_all_stats: bool,
    pub max_connections: i64,
    pub superuser_reserved_connections: i64,
    #[serde(default)]
    pub reserved_connections: Option<i64>,
    pub max_locks_per_transaction: i64,
    pub max_prepared_transactions: i64,
    pub autovacuum_workers: i64,
    pub max_worker_processes: i64,
    pub max_wal_senders: i64,
    pub track_activities: bool,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct TimeoutsRow {
    #[serde(with = "field::optional_seconds", default)]
    pub statement_timeout: Option<Duration>,
    #[serde(with = "field::optional_seconds", default)]
    pub lock_timeout: Option<Duration>,
    #[serde(with = "field::optional_seconds", default)]
    pub idle_in_transaction_session_timeout: Option<Duration>,
    #[serde(with = "field::optional_seconds", default)]
    pub idle_session_timeout: Option<Duration>,
    #[serde(with = "field::optional_seconds", default)]
    pub transaction_timeout: Option<Duration>,
    #[serde(with = "field::optional_seconds", default)]
    pub client_connection_check_interval: Option<Duration>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct OverrideRow {
    pub role: Option<String>,
    pub database: Option<String>,
    /// `lock_timeout=5s`, as `pg_db_role_setting` holds it.
    pub setting: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct DatabaseRow {
    #[serde(deserialize_with = "field::number")]
    pub oid: u32,
    pub datname: String,
    pub datconnlimit: i64,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RelationRow {
    #[serde(deserialize_with = "field::number")]
    pub database: u32,
    #[serde(deserialize_with = "field::number")]
    pub oid: u32,
    pub name: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct LockRow {
    pub locktype: String,
    #[serde(deserialize_with = "field::optional_number", default)]
    pub database: Option<u32>,
    #[serde(deserialize_with = "field::optional_number", default)]
    pub relation: Option<u32>,
    #[serde(default)]
    pub page: Option<i32>,
    #[serde(default)]
    pub tuple: Option<i16>,
    #[serde(default)]
    pub virtualxid: Option<String>,
    #[serde(deserialize_with = "field::optional_number", default)]
    pub transactionid: Option<u32>,
    #[serde(deserialize_with = "field::optional_number", default)]
    pub classid: Option<u32>,
    #[serde(deserialize_with = "field::optional_number", default)]
    pub objid: Option<u32>,
    #[serde(default)]
    pub objsubid: Option<i16>,
    pub virtualtransaction: String,
    pub pid: Option<i32>,
    pub mode: String,
    pub granted: bool,
    #[serde(with = "field::optional_time", default)]
    pub waitstart: Option<SystemTime>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SessionRow {
    pub pid: i32,
    pub masked: Option<bool>,
    #[serde(deserialize_with = "field::optional_number", default)]
    pub datid: Option<u32>,
    pub datname: Option<String>,
    pub usename: Option<String>,
    pub application_name: Option<String>,
    pub client_addr: Option<String>,
    pub client_port: Option<i32>,
    pub backend_type: Option<String>,
    #[serde(with = "field::optional_time", default)]
    pub backend_start: Option<SystemTime>,
    #[serde(with = "field::optional_time", default)]
    pub xact_start: Option<SystemTime>,
    #[serde(with = "field::optional_time", default)]
    pub query_start: Option<SystemTime>,
    #[serde(with = "field::optional_time", default)]
    pub state_change: Option<SystemTime>,
    pub state: Option<String>,
    pub wait_event_type: Option<String>,
    pub wait_event: Option<String>,
    pub leader_pid: Option<i32>,
    pub xmin_age: Option<i32>,
    pub query: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PreparedRow {
    #[serde(deserialize_with = "field::number")]
    pub transaction: u32,
    pub gid: String,
    #[serde(with = "field::time")]
    pub prepared_at: SystemTime,
    pub owner: Option<String>,
    #[serde(deserialize_with = "field::number")]
    pub database: u32,
}

/// What could not be read when the sample was taken, by the code of its blind spot.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct UnreadRow {
    pub what: String,
    pub because: String,
    #[serde(default)]
    pub remedy: Option<String>,
}
