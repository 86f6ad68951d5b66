//! Refusals in PostgreSQL's own error messages, told apart by SQLSTATE.
//!
//! Texts are localised (`lc_messages`), the code and the source routine are not: text is only
//! read where neither of them decides.

use std::fmt;

use crate::pooler::Product;

use super::{ConnectFailure, FailureKind, pooler, slot};

/// The oldest major version whose catalogs lockaudit reads.
const OLDEST_MAJOR: u32 = 13;

/// One error or notice of a server, as it came: not yet safe to print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerWords {
    pub severity: String,
    pub sqlstate: String,
    pub message: String,
    pub detail: Option<String>,
    pub hint: Option<String>,
    /// The function in the server's source that raised it; poolers send none.
    pub routine: Option<String>,
}

impl From<&tokio_postgres::error::DbError> for ServerWords {
    fn from(error: &tokio_postgres::error::DbError) -> Self {
        Self {
            severity: error.severity().to_owned(),
            sqlstate: error.code().code().to_owned(),
            message: error.message().to_owned(),
            detail: error.detail().map(str::to_owned),
            hint: error.hint().map(str::to_owned),
            routine: error.routine().map(str::to_owned),
        }
    }
}

/// SQLSTATE classes of a statement that cannot be done as it stands: features, values, constraints, states of a
/// transaction, names, rights, limits. Connections, resources and operators are none: there it may have been done.
const REFUSALS: [&str; 8] = ["0A", "22", "23", "25", "3D", "3F", "42", "54"];

impl ServerWords {
    /// Whether what was asked for was not done, for certain: an error of the statement itself undoes all of it.
    pub fn refuses_the_statement(&self) -> bool {
        let mut refusals = REFUSALS.iter();
        refusals.any(|class| self.sqlstate.starts_with(class))
    }
}

/// A refusal during a session: the server's words with their code.
impl fmt::Display for ServerWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (SQLSTATE {})", self.message, self.sqlstate)
    }
}

impl std::error::Error for ServerWords {}

/// The failure that a server's refusal of the startup or the login means.
pub(crate) fn refusal(words: &ServerWords) -> ConnectFailure {
    let failure = match words.sqlstate.as_str() {
        "53300" => slot::no_slot(words),
        "53200" => lock_table_full(),
        "57P03" => not_accepting(),
        "28P01" => password_refused(),
        "28000" => authorization(words),
        "3D000" => unknown_database(),
        "42501" | "55000" => database_forbidden(),
        "0A000" if Product::by_refusal(&words.message).is_some() => pooler::unsupported(),
        "0A000" if words.message.contains("protocol") => old_protocol(),
        "08P01" => pooler::refusal(words),
        _ => other(),
    };
    with_words(failure, words)
}

fn with_words(failure: ConnectFailure, words: &ServerWords) -> ConnectFailure {
    let mut failure = failure;
    failure.sentence = format!("{} (SQLSTATE {})", failure.sentence, words.sqlstate);
    failure.sqlstate = Some(words.sqlstate.as_str().into());
    failure.words = Some(Box::new(words.clone()));
    failure
        .causes
        .push(format!("the server says: {}", words.message));
    failure.causes.extend(
        words
            .detail
            .iter()
            .map(|detail| format!("detail: {detail}")),
    );
    failure
        .causes
        .extend(words.hint.iter().map(|hint| format!("its hint: {hint}")));
    failure
}

fn lock_table_full() -> ConnectFailure {
    ConnectFailure::new(FailureKind::LockTableFull, "the server's lock table is full")
        .hint("no new session can start, not even a superuser's, until locks are given back: end the session that holds the most from a connection that is already open, or from the pooler's console")
}

fn not_accepting() -> ConnectFailure {
    ConnectFailure::new(
        FailureKind::NotAccepting,
        "the server accepts no sessions at the moment",
    )
    .hint("it is starting up, shutting down or recovering; try again when it is done")
}

fn password_refused() -> ConnectFailure {
    ConnectFailure::new(FailureKind::PasswordRefused, "the password was refused")
        .hint("check the role and its password: the connection string, PGPASSWORD, or the first matching line of the password file")
}

/// 28000 covers several cases. `InitializeSessionUserId` is where the server looks the role up
/// (src/backend/utils/init/miscinit.c); `ClientAuthentication` is where it reads pg_hba.conf.
fn authorization(words: &ServerWords) -> ConnectFailure {
    let message = &words.message;
    if words.routine.as_deref() == Some("InitializeSessionUserId") {
        return role(message);
    }
    if message.contains("client certificate") {
        return ConnectFailure::new(
            FailureKind::ClientCertificateMissing,
            "the server asks for a client certificate",
        )
        .hint("give one that its ssl_ca_file knows with sslcert and sslkey");
    }
    if words.routine.as_deref() == Some("auth_failed") {
        return ConnectFailure::new(
            FailureKind::AuthenticationFailed,
            "the server did not accept who we are",
        )
        .hint("check the role, and the method that pg_hba.conf asks for on this way in");
    }
    ConnectFailure::new(
        FailureKind::PgHbaRejected,
        "the server's pg_hba.conf does not let us in",
    )
    .hint("it decides by role, database, client address and encryption: add a line there, or change one of these (sslmode)")
}

fn role(message: &str) -> ConnectFailure {
    if message.contains("not permitted to log in") {
        return ConnectFailure::new(FailureKind::RoleMayNotLogIn, "the role may not log in")
            .hint("give it LOGIN, or use another with --username");
    }
    ConnectFailure::new(FailureKind::UnknownRole, "the server has no such role")
        .hint("give the role with --username; without it the operating system's user name is taken")
}

fn unknown_database() -> ConnectFailure {
    ConnectFailure::new(
        FailureKind::UnknownDatabase,
        "the server has no such database",
    )
    .hint("give its name with --dbname; without it the role's name is taken")
}

fn database_forbidden() -> ConnectFailure {
    ConnectFailure::new(
        FailureKind::DatabaseForbidden,
        "the role may not connect to that database",
    )
    .hint("grant it CONNECT, or give another database with --dbname: advisory locks of all databases are seen from any")
}

fn old_protocol() -> ConnectFailure {
    ConnectFailure::new(
        FailureKind::ServerTooOld,
        "the server does not know protocol 3.0",
    )
}

fn other() -> ConnectFailure {
    ConnectFailure::new(
        FailureKind::ServerRefused,
        "the server refused the connection",
    )
}

/// `Some` when `version` (the `server_version` a session starts with) is a PostgreSQL that is
/// older than the catalogs lockaudit reads. Versions of poolers and forks pass.
pub(crate) fn too_old(version: &str) -> Option<ConnectFailure> {
    let digits: String = version.chars().take_while(char::is_ascii_digit).collect();
    let major: u32 = digits.parse().ok()?;
    (7..OLDEST_MAJOR).contains(&major).then(|| {
        ConnectFailure::new(
            FailureKind::ServerTooOld,
            format!("the server is PostgreSQL {version}; lockaudit reads {OLDEST_MAJOR} and later"),
        )
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::NoSlot;
    use super::*;

    pub(in super::super) fn words(
        sqlstate: &str,
        message: &str,
        routine: Option<&str>,
    ) -> ServerWords {
        ServerWords {
            severity: "FATAL".to_owned(),
            sqlstate: sqlstate.to_owned(),
            message: message.to_owned(),
            detail: None,
            hint: None,
            routine: routine.map(str::to_owned),
        }
    }

    fn kind(sqlstate: &str, message: &str, routine: Option<&str>) -> FailureKind {
        refusal(&words(sqlstate, message, routine)).kind
    }

    #[test]
    fn tells_refusals_apart_by_code_and_routine_in_any_language() {
        use FailureKind::*;
        assert_eq!(
            kind("28P01", "Passwort-Authentifizierung …", None),
            PasswordRefused
        );
        assert_eq!(kind("3D000", "Datenbank …", None), UnknownDatabase);
        assert_eq!(kind("57P03", "…", None), NotAccepting);
        assert_eq!(kind("53200", "…", None), LockTableFull);
        assert_eq!(
            kind("28000", "Rolle …", Some("InitializeSessionUserId")),
            UnknownRole
        );
        assert_eq!(
            kind("28000", "kein Eintrag …", Some("ClientAuthentication")),
            PgHbaRejected
        );
        assert_eq!(
            kind("28000", "Peer …", Some("auth_failed")),
            AuthenticationFailed
        );
        assert_eq!(
            kind("53300", "…", Some("InitProcess")),
            NoSlotLeft(NoSlot::AllTaken)
        );
        assert_eq!(kind("XX000", "…", None), ServerRefused);
        let proxy =
            "Feature not supported: RDS Proxy currently doesn't support command-line options.";
        let parameter = Pooler(super::super::PoolerRefusal::StartupParameter);
        assert_eq!(kind("0A000", proxy, None), parameter);
    }

    #[test]
    fn repeats_the_servers_words_with_detail_and_hint() {
        let mut said = words("53200", "out of shared memory", None);
        said.hint = Some("You might need to increase \"max_locks_per_transaction\".".to_owned());
        let report = refusal(&said).at("db:5432").report();
        assert!(report.starts_with(
            "could not connect to db:5432: the server's lock table is full (SQLSTATE 53200)\n  the server says: out of shared memory\n  its hint: You might need to increase \"max_locks_per_transaction\".\nhint: "
        ));
    }

    #[test]
    fn refuses_only_an_old_postgresql() {
        assert!(too_old("12.22 (Debian 12.22-1)").is_some());
        assert!(too_old("9.6.24").is_some());
        assert!(too_old("13.23").is_none());
        assert!(too_old("18beta1").is_none());
        assert!(too_old("1.25.2/bouncer").is_none());
        assert!(too_old("").is_none());
    }
}
