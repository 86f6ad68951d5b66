//! Why no connection came about, in words for the person who asked.
//!
//! Raw server text is kept as it came; only `Display` and [`ConnectFailure::report`] make it
//! printable. A password never enters this module.

mod authentication;
mod network;
mod pooler;
mod server;
mod several;
mod slot;
mod stranger;
mod transport;

use std::fmt;

use crate::text::printable;

pub(crate) use authentication::from_login;
pub(crate) use network::{closed, dialling, is_hang_up, name_lookup, socket_file, timed_out};
pub use server::ServerWords;
pub(crate) use server::too_old;
pub(crate) use several::{both, several};
pub(crate) use stranger::{REPLY_TAGS, not_postgres};
pub(crate) use transport::{handshake, tls_file, tls_not_offered, tls_settings};

/// One failed attempt, or the sum of the attempts on several hosts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectFailure {
    pub kind: FailureKind,
    /// What failed, without the host: lower case, no full stop.
    pub sentence: String,
    /// What is known beyond the sentence: the server's own words, or a line for each host.
    pub causes: Vec<String>,
    pub hint: Option<String>,
    pub sqlstate: Option<Box<str>>,
    /// The host as shown (`db1:5432`, or a socket file); `None` when several were tried.
    pub host: Option<Box<str>>,
    /// Whether TLS was up when it failed.
    pub encrypted: bool,
    /// The server's refusal, where it was the server that refused.
    pub words: Option<Box<ServerWords>>,
}

/// What a caller can act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    UnknownHostName,
    PortRefused,
    Unreachable,
    SocketFileMissing,
    SocketFileForbidden,
    TimedOut(Stage),
    ClosedByServer,
    NotPostgres,
    ServerTooOld,
    /// Starting, stopping or recovering (57P03); trying again later helps.
    NotAccepting,
    NoSlotLeft(NoSlot),
    /// 53200 at connect: new sessions can't lock the catalogs they start with.
    LockTableFull,
    PasswordMissing,
    PasswordRefused,
    AuthenticationUnsupported,
    AuthenticationFailed,
    ScramIterations,
    ChannelBinding,
    PgHbaRejected,
    UnknownRole,
    RoleMayNotLogIn,
    UnknownDatabase,
    DatabaseForbidden,
    Pooler(PoolerRefusal),
    TlsSettings,
    TlsFile,
    TlsNotOffered,
    TlsHandshake,
    CertificateRefused(CertificateFault),
    ClientCertificateMissing,
    ClientCertificateRefused,
    /// A server answered, but not of the kind that `target_session_attrs` asks for.
    WrongSessionKind,
    /// Any other refusal; `sqlstate` and `causes` say which.
    ServerRefused,
}

/// The step that was under way when time ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    NameLookup,
    Dialling,
    TlsRequest,
    TlsHandshake,
    Login,
    SessionCheck,
}

/// Which slots are gone (SQLSTATE 53300 has one code for all of these).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoSlot {
    AllTaken,
    OnlySuperuserSlotsLeft,
    OnlyReservedSlotsLeft,
    RoleLimit,
    DatabaseLimit,
    PoolerFull,
    Unknown,
}

/// What a pooler says where PostgreSQL would have a code of its own (PgBouncer: 08P01 for all).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoolerRefusal {
    UnknownDatabase,
    Authentication,
    StartupParameter,
    QueryWaitTimeout,
    NotAllowed,
    TlsRequired,
    ServerLogin,
    Other,
}

/// The property of the server's certificate that stands in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CertificateFault {
    Expired,
    NotYetValid,
    WrongName,
    OnlyCommonName,
    Version1,
    UnknownIssuer,
    SelfSigned,
    AuthorityAsServer,
    WrongPurpose,
    Revoked,
    RevocationUnknown,
    Algorithm,
    Other,
}

impl ConnectFailure {
    pub(crate) fn new(kind: FailureKind, sentence: impl Into<String>) -> Self {
        Self {
            kind,
            sentence: sentence.into(),
            causes: Vec::new(),
            hint: None,
            sqlstate: None,
            host: None,
            encrypted: false,
            words: None,
        }
    }

    pub(crate) fn cause(mut self, cause: impl Into<String>) -> Self {
        self.causes.push(cause.into());
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn at(mut self, host: impl Into<Box<str>>) -> Self {
        self.host = Some(host.into());
        self
    }

    pub(crate) fn over(mut self, encrypted: bool) -> Self {
        self.encrypted = encrypted;
        self
    }

    /// The whole message: the sentence, the causes one a line, then the hint. No line break at
    /// the end, and nothing a terminal would obey.
    pub fn report(&self) -> String {
        let causes = self
            .causes
            .iter()
            .map(|cause| format!("  {}", printable(cause)));
        let hint = self
            .hint
            .iter()
            .map(|hint| format!("hint: {}", printable(hint)));
        std::iter::once(self.to_string())
            .chain(causes)
            .chain(hint)
            .collect::<Vec<_>>()
            .join("\n")
    }
}

impl fmt::Display for ConnectFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sentence = printable(&self.sentence);
        match &self.host {
            Some(host) => write!(f, "could not connect to {}: {sentence}", printable(host)),
            None => write!(f, "could not connect: {sentence}"),
        }
    }
}

impl std::error::Error for ConnectFailure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_sentence_causes_and_hint_one_a_line() {
        let failure = ConnectFailure::new(FailureKind::PortRefused, "nothing listens there")
            .cause("first")
            .cause("second\u{1b}[2J")
            .hint("look")
            .at("db\n1:5432");
        assert_eq!(
            failure.report(),
            "could not connect to db\\n1:5432: nothing listens there\n  first\n  second\\u{1b}[2J\nhint: look"
        );
    }
}
