//! Owns second sessions: each method says what the session does from then on.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio_postgres::{Client, Error, NoTls, SimpleQueryMessage};

use super::address::Address;
use super::key::Key;
use super::runtime::{block_on, spawn};
use super::wait::wait_for;

const PATIENCE: Duration = Duration::from_secs(30);

/// One open session. It ends when it is dropped, and so do its session-level locks.
pub struct Session {
    client: Option<Arc<Client>>,
    address: Address,
    application_name: String,
    pid: i32,
}

impl Session {
    #[track_caller]
    pub fn open(address: &Address, application_name: &str) -> Self {
        Self::try_open(address, application_name).unwrap_or_else(|error| {
            panic!("{application_name} could not connect: {}", Causes(&error))
        })
    }

    pub fn try_open(address: &Address, application_name: &str) -> Result<Self, Error> {
        let mut session = Self::try_open_console(address, application_name)?;
        session.pid = session.number("SELECT pg_backend_pid()");
        Ok(session)
    }

    /// A session with a pooler's console, which knows no SQL and so tells no pid.
    pub fn try_open_console(address: &Address, application_name: &str) -> Result<Self, Error> {
        let config = address.config(application_name);
        let client = block_on(async {
            let (client, connection) = config.connect(NoTls).await?;
            spawn(connection);
            Ok(client)
        })?;
        Ok(Self {
            client: Some(Arc::new(client)),
            address: address.clone(),
            application_name: application_name.to_owned(),
            pid: 0,
        })
    }

    /// The session of another program, to be looked at only.
    pub fn elsewhere(address: &Address, application_name: &str, pid: i32) -> Self {
        Self {
            client: None,
            address: address.clone(),
            application_name: application_name.to_owned(),
            pid,
        }
    }

    /// The server process of this session; behind a pooler, of its first statement.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// Takes the key for the session, and idles outside a transaction.
    #[track_caller]
    pub fn idle_with(&self, key: impl Into<Key>) -> &Self {
        self.runs(&format!("SELECT pg_advisory_lock({})", key.into()))
    }

    #[track_caller]
    pub fn idle_with_pair(&self, first: i32, second: i32) -> &Self {
        self.idle_with(Key::Pair(first, second))
    }

    /// As `idle_with`, in share mode.
    #[track_caller]
    pub fn idle_sharing(&self, key: impl Into<Key>) -> &Self {
        self.runs(&format!("SELECT pg_advisory_lock_shared({})", key.into()))
    }

    /// Takes the key for a transaction, and idles inside it.
    #[track_caller]
    pub fn in_transaction_with(&self, key: impl Into<Key>) -> &Self {
        self.runs("BEGIN")
            .runs(&format!("SELECT pg_advisory_xact_lock({})", key.into()))
    }

    /// Leaves a prepared transaction that holds the key: no session holds it from then on.
    #[track_caller]
    pub fn prepared_with(&self, key: impl Into<Key>, gid: &str) -> &Self {
        self.in_transaction_with(key)
            .runs(&format!("PREPARE TRANSACTION '{gid}'"))
    }

    /// Asks for the key, and returns once the server shows this session waiting for it.
    #[track_caller]
    pub fn waits_for(&self, key: impl Into<Key>) -> &Self {
        self.waits_in("pg_advisory_lock", key.into())
    }

    /// As `waits_for`, in share mode.
    #[track_caller]
    pub fn waits_to_share(&self, key: impl Into<Key>) -> &Self {
        self.waits_in("pg_advisory_lock_shared", key.into())
    }

    /// As `waits_for`, inside a transaction and for its length.
    #[track_caller]
    pub fn waits_in_transaction_for(&self, key: impl Into<Key>) -> &Self {
        self.runs("BEGIN")
            .waits_in("pg_advisory_xact_lock", key.into())
    }

    /// Takes the key for the session, and is at work from then on.
    #[track_caller]
    pub fn works_with(&self, key: impl Into<Key>) -> &Self {
        self.works_in(&format!(
            "SELECT pg_advisory_lock({}), pg_sleep(600)",
            key.into()
        ))
    }

    /// Is at work from then on.
    #[track_caller]
    pub fn works(&self) -> &Self {
        self.works_in("SELECT pg_sleep(600)")
    }

    /// Sends the statements, and returns once the server shows this session waiting for a lock.
    #[track_caller]
    pub fn is_blocked_in(&self, sql: &str) -> &Self {
        self.starts(sql);
        self.is_seen(
            "blocked",
            "EXISTS (SELECT FROM pg_locks WHERE pid = a.pid AND NOT granted)",
        )
    }

    /// Waits until the server shows this session, `a` in `pg_stat_activity`, so.
    #[track_caller]
    pub fn is_seen(&self, how: &str, condition: &str) -> &Self {
        let seen = format!(
            "SELECT EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = {} AND {condition})",
            self.pid
        );
        let observer = self.observer();
        let what = format!("{} (pid {}) {how}", self.application_name, self.pid);
        wait_for(&what, || observer.says(&seen));
        self
    }

    /// Sends the statements without waiting for their end.
    pub fn starts(&self, sql: &str) -> &Self {
        let client = Arc::clone(self.client());
        let sql = sql.to_owned();
        // What becomes of it is seen from outside: the session may be cancelled or ended.
        spawn(async move { client.batch_execute(&sql).await });
        self
    }

    /// Runs the statements to their end.
    #[track_caller]
    pub fn runs(&self, sql: &str) -> &Self {
        self.rows(sql);
        self
    }

    /// Runs the statements, and gives the server's refusal if it refuses.
    pub fn tries(&self, sql: &str) -> Result<Vec<Vec<Option<String>>>, Error> {
        let query = self.client().simple_query(sql);
        let answer = block_on(async { tokio::time::timeout(PATIENCE, query).await });
        let messages = answer.unwrap_or_else(|_| panic!("no answer in {PATIENCE:?} to: {sql}"))?;
        Ok(messages.iter().filter_map(columns).collect())
    }

    /// Runs statements that the server must refuse, and returns once the session is at rest again:
    /// the refusal comes a moment before that.
    #[track_caller]
    pub fn fails(&self, sql: &str) -> &Self {
        assert!(self.tries(sql).is_err(), "expected a refusal of: {sql}");
        self.is_seen("at rest", "state <> 'active'")
    }

    /// The rows of an answer, as text.
    #[track_caller]
    pub fn rows(&self, sql: &str) -> Vec<Vec<Option<String>>> {
        self.tries(sql).unwrap_or_else(|error| {
            panic!(
                "{} could not run {sql}: {}",
                self.application_name,
                Causes(&error)
            )
        })
    }

    /// The first column of the first row; `None` for no row or NULL.
    #[track_caller]
    pub fn value(&self, sql: &str) -> Option<String> {
        self.rows(sql).into_iter().next()?.into_iter().next()?
    }

    /// The first column of the first row, which must be a number.
    #[track_caller]
    pub fn number(&self, sql: &str) -> i32 {
        let value = self
            .value(sql)
            .unwrap_or_else(|| panic!("no value from: {sql}"));
        value
            .parse()
            .unwrap_or_else(|_| panic!("not a number from: {sql}"))
    }

    /// Whether the server says so: `says("SELECT …")` where the answer is a boolean.
    #[track_caller]
    pub fn says(&self, sql: &str) -> bool {
        self.value(sql).as_deref() == Some("t")
    }

    /// Ends the session, and returns once the server has no such process any more.
    #[track_caller]
    pub fn disconnect(mut self) {
        self.client = None;
        self.is_gone();
    }

    /// Waits until the server has no such process any more.
    #[track_caller]
    pub fn is_gone(&self) {
        let gone = format!(
            "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = {})",
            self.pid
        );
        let observer = self.observer();
        wait_for("the end of a session", || observer.says(&gone));
    }

    #[track_caller]
    fn works_in(&self, sql: &str) -> &Self {
        self.starts(sql);
        self.is_seen("at work", "wait_event = 'PgSleep'")
    }

    #[track_caller]
    fn waits_in(&self, function: &str, key: Key) -> &Self {
        self.starts(&format!("SELECT {function}({key})"));
        let condition = key.in_pg_locks();
        self.is_seen(
            &format!("waiting for {key:?}"),
            &format!(
                "EXISTS (SELECT FROM pg_locks WHERE {condition} AND pid = a.pid AND NOT granted)"
            ),
        )
    }

    fn observer(&self) -> Self {
        Self::open(&self.address.of_observer(), "harness")
    }

    fn client(&self) -> &Arc<Client> {
        self.client
            .as_ref()
            .expect("only a session that is open here runs statements")
    }
}

fn columns(message: &SimpleQueryMessage) -> Option<Vec<Option<String>>> {
    match message {
        SimpleQueryMessage::Row(row) => Some(
            (0..row.len())
                .map(|column| row.get(column).map(str::to_owned))
                .collect(),
        ),
        _ => None,
    }
}

/// `tokio_postgres::Error` shows only "db error" without its causes.
struct Causes<'a>(&'a dyn std::error::Error);

impl fmt::Display for Causes<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)?;
        match self.0.source() {
            Some(cause) => write!(formatter, ": {}", Self(cause)),
            None => Ok(()),
        }
    }
}
