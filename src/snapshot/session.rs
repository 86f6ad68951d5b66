//! One session of `pg_stat_activity`, and one prepared transaction.

use std::time::SystemTime;

use super::VirtualTransaction;

/// A backend, as far as we may see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    pub pid: i32,
    pub sight: Sight,
    pub datid: Option<u32>,
    pub datname: Option<String>,
    pub usename: Option<String>,
    pub application_name: Option<String>,
    /// `None` for a Unix socket, and for a hidden session.
    pub client_addr: Option<String>,
    /// -1 for a Unix socket.
    pub client_port: Option<i32>,
    pub backend_type: Option<String>,
    pub backend_start: Option<SystemTime>,
    pub xact_start: Option<SystemTime>,
    pub query_start: Option<SystemTime>,
    pub state_change: Option<SystemTime>,
    /// `None` for a background process, and for a hidden session.
    pub state: Option<SessionState>,
    pub wait_event_type: Option<String>,
    pub wait_event: Option<String>,
    /// The parallel group's leader, which shares its members' locks.
    pub leader_pid: Option<i32>,
    /// How many transactions ago the snapshot that it holds open began: VACUUM keeps what is younger.
    pub xmin_age: Option<i32>,
    /// The session's **last** statement: an idle session's is not the one that took a lock.
    pub query: Option<String>,
}

/// How much of a session's row the server showed us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    Full,
    /// Another role's session, and we lack `pg_read_all_stats`: no state, no times, no address.
    Masked,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionState {
    Active,
    Idle,
    IdleInTransaction,
    IdleInTransactionAborted,
    /// `track_activities` is off for this session.
    Disabled,
    Other(String),
}

impl SessionState {
    pub fn from_catalog(name: &str) -> Self {
        match name {
            "active" => Self::Active,
            "idle" => Self::Idle,
            "idle in transaction" => Self::IdleInTransaction,
            "idle in transaction (aborted)" => Self::IdleInTransactionAborted,
            "disabled" => Self::Disabled,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The catalog's word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Active => "active",
            Self::Idle => "idle",
            Self::IdleInTransaction => "idle in transaction",
            Self::IdleInTransactionAborted => "idle in transaction (aborted)",
            Self::Disabled => "disabled",
            Self::Other(name) => name,
        }
    }
}

impl Session {
    pub fn is_idle_in_transaction(&self) -> bool {
        matches!(
            self.state,
            Some(SessionState::IdleInTransaction | SessionState::IdleInTransactionAborted)
        )
    }

    pub fn is_active(&self) -> bool {
        self.state == Some(SessionState::Active)
    }

    /// Whether what it holds under this number is held outside any transaction. A committing transaction
    /// clears its number a moment before it lets its locks go, so `n/0` of a session seen at work proves
    /// nothing.
    pub fn rests_outside(&self, transaction: VirtualTransaction) -> bool {
        transaction.is_outside_transaction() && !self.is_active()
    }

    /// When what it is at began: its statement if it is active, else its transaction; `None` outside
    /// of one.
    pub fn at_it_since(&self) -> Option<SystemTime> {
        match self.is_active() {
            true => self.query_start,
            false => self.xact_start,
        }
    }

    /// Whether the server told us what the session is doing.
    pub fn state_is_known(&self) -> bool {
        !matches!(self.state, None | Some(SessionState::Disabled))
    }

    /// A session that a client opened and that takes one of `max_connections`; where the row is
    /// masked, the best guess: it has a database and a role.
    pub fn is_client_backend(&self) -> bool {
        match &self.backend_type {
            Some(backend_type) => backend_type == "client backend",
            None => self.datid.is_some() && self.usename.is_some(),
        }
    }
}

/// A transaction after `PREPARE TRANSACTION`: it holds its locks without a backend.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedTransaction {
    pub transaction: u32,
    pub gid: String,
    pub prepared_at: SystemTime,
    pub owner: Option<String>,
    pub database: u32,
}
