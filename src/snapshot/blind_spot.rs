//! What a snapshot could not see. Zero rows must never stand for "could not look".

use super::ConnectionPath;

/// One thing that was hidden, off or out of reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlindSpot {
    /// Sessions of other roles, masked for want of `pg_read_all_stats`.
    MaskedSessions { masked: usize, of: usize },
    /// Sessions with `track_activities` off.
    UntrackedSessions { count: usize },
    /// Lock owners that were gone when the sessions were read.
    VanishedSessions { pids: Vec<i32> },
    /// Locks of prepared transactions that `pg_prepared_xact` did not list.
    UnlistedPrepared { count: usize },
    /// Texts taken as they are stored, since the server could not convert them.
    ForeignText { because: String },
    /// Statements not read, since the server could not convert one, and a pooler stood in the way of
    /// taking them as they are stored.
    LeftOutText { because: String },
    /// Names of databases and roles could not be read; numbers are shown.
    Names { because: String },
    /// Time limits of roles and databases could not be read: nothing is said of them.
    TimeLimits { because: String },
    /// Names of relations could not be read; numbers are shown.
    RelationNames { because: String },
    /// Before 14 `pg_locks` does not say when a wait began.
    WaitStart,
    /// The console of a pooler that we were told of was not read.
    Console {
        because: String,
        remedy: Option<String>,
    },
    /// A console was read, and none of its server connections is a session of this server.
    Unjoined { console: String, connections: usize },
    /// We came through a pooler or address translation: who is behind it is not visible here.
    BehindPooler { path: ConnectionPath },
    /// A standby shows neither the primary's locks nor prepared transactions.
    Standby,
    /// The server let us in at no point.
    Everything { because: String },
}

impl BlindSpot {
    /// A stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::MaskedSessions { .. } => "masked-sessions",
            Self::UntrackedSessions { .. } => "untracked-sessions",
            Self::VanishedSessions { .. } => "vanished-sessions",
            Self::UnlistedPrepared { .. } => "unlisted-prepared",
            Self::ForeignText { .. } => "foreign-text",
            Self::LeftOutText { .. } => "left-out-text",
            Self::Names { .. } => "names",
            Self::TimeLimits { .. } => "time-limits",
            Self::RelationNames { .. } => "relation-names",
            Self::WaitStart => "wait-start",
            Self::Console { .. } => "console",
            Self::Unjoined { .. } => "unjoined-console",
            Self::BehindPooler { .. } => "behind-pooler",
            Self::Standby => "standby",
            Self::Everything { .. } => "everything",
        }
    }

    /// Whether it can hide the state of a holder or a waiter, or who is behind one, so that `--strict` must
    /// not answer.
    pub fn weakens_the_verdict(&self) -> bool {
        self.hides_sessions() || matches!(self, Self::Console { .. })
    }

    /// Whether it can hide the state of a holder or a waiter.
    pub fn hides_sessions(&self) -> bool {
        matches!(
            self,
            Self::MaskedSessions { .. }
                | Self::UntrackedSessions { .. }
                | Self::VanishedSessions { .. }
                | Self::UnlistedPrepared { .. }
                | Self::Everything { .. }
        )
    }

    /// What was not seen, in a sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::MaskedSessions { masked, of } => format!(
                "{masked} of {of} sessions belong to other roles: their state, times, address and query are hidden"
            ),
            Self::UntrackedSessions { count } => format!(
                "{} with track_activities off: what {} doing is not known",
                crate::words::count(*count, "session"),
                if *count == 1 { "it is" } else { "they are" }
            ),
            Self::VanishedSessions { pids } => format!(
                "{} gone between the read of the locks and the read of the sessions ({})",
                crate::words::count(pids.len(), "lock owner"),
                crate::words::pids(pids)
            ),
            Self::UnlistedPrepared { count } => format!(
                "{} of a prepared transaction that the server did not list",
                crate::words::count(*count, "lock")
            ),
            Self::ForeignText { because } => format!(
                "the server could not convert every text, so all are shown as they are stored, \
                 unreadable bytes as U+FFFD: {because}"
            ),
            Self::LeftOutText { because } => format!(
                "the server could not convert every text, and through a pooler none is taken as it is \
                 stored, so the statements of sessions were left out: {because}"
            ),
            Self::Names { because } => {
                format!("names of databases and roles could not be read: {because}")
            }
            Self::TimeLimits { because } => {
                format!("time limits of roles and databases could not be read: {because}")
            }
            Self::RelationNames { because } => {
                format!("names of relations could not be read: {because}")
            }
            Self::WaitStart => "before PostgreSQL 14 the server does not say when a wait began: \
                 waits are counted from the start of the waiter's query, and queues are ordered by it"
                .to_owned(),
            Self::BehindPooler { path } => format!(
                "{}; the clients behind it are not visible here",
                path.because().unwrap_or("we came through a pooler")
            ),
            Self::Console { because, .. } => {
                format!("a console of --pgbouncer was not read: {because}")
            }
            Self::Unjoined {
                console,
                connections,
            } => format!(
                "of the {} of PgBouncer {console} none is a session of this server: it leads elsewhere, or addresses are translated in between",
                crate::words::count(*connections, "server connection")
            ),
            Self::Standby => "this is a standby: locks and prepared transactions of the primary \
                 are not visible here"
                .to_owned(),
            Self::Everything { because } => format!("nothing could be read: {because}"),
        }
    }

    /// What would make it visible, where something would.
    pub fn remedy(&self) -> Option<&str> {
        match self {
            Self::MaskedSessions { .. } => Some("GRANT pg_monitor to the scanning role"),
            Self::UntrackedSessions { .. } => Some("turn track_activities on for those roles"),
            Self::VanishedSessions { .. } | Self::UnlistedPrepared { .. } => Some("scan again"),
            Self::LeftOutText { .. } => {
                Some("connect to the server directly, or to a database with UTF8 encoding")
            }
            Self::ForeignText { .. } => Some("connect to a database with UTF8 encoding"),
            Self::Console { remedy, .. } => remedy.as_deref(),
            Self::BehindPooler { .. } => Some("connect to the server directly"),
            Self::Standby => Some("scan the primary too"),
            _ => None,
        }
    }
}
