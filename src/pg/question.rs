//! The questions that a server is asked: one SQL file each, with the servers that it is for.

use anyhow::{Context, Result};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row, RowStream};

use super::failure::ServerWords;

/// One file of `sql/`.
#[derive(Debug, Clone, Copy)]
pub struct Question {
    /// Its name below `sql/`.
    pub file: &'static str,
    pub sql: &'static str,
    /// The first major that it runs on.
    pub since: i32,
    /// The first major that it is not for.
    pub until: Option<i32>,
    /// What was tried, for the error: `could not read the locks`.
    pub purpose: &'static str,
    pub parameters: &'static [Type],
}

macro_rules! question {
    ($name:ident, $file:literal, $purpose:literal, since $since:literal, $until:expr, [$($type:ident),*]) => {
        pub const $name: Question = Question {
            file: $file,
            sql: include_str!(concat!("../../sql/", $file)),
            since: $since,
            until: $until,
            purpose: $purpose,
            parameters: &[$(Type::$type),*],
        };
    };
}

question!(BEGIN, "begin.sql", "begin a read-only transaction", since 13, None, []);
question!(SET_ROLE, "set_role.sql", "take the role of --set-role", since 13, None, [TEXT]);
question!(RAW_TEXT, "raw_text.sql", "ask for text as it is stored", since 13, None, []);
question!(WAY_IN, "way_in.sql", "ask how the server sees us", since 13, None, []);
question!(SERVER, "server.sql", "ask the server who it is", since 13, None, []);
question!(LIMITS, "limits.sql", "read the settings", since 13, None, []);
question!(DATABASES, "databases.sql", "read the names of the databases", since 13, None, []);
question!(ROLES, "roles.sql", "read the names of the roles", since 13, None, []);
question!(MEMBERSHIP, "membership.sql", "ask what our role may see", since 13, None, []);
question!(LOCKS, "locks.sql", "read the lock table", since 14, None, []);
question!(LOCKS_BEFORE_14, "locks_before_14.sql", "read the lock table", since 13, Some(14), []);
question!(MOMENT, "moment.sql", "read the server's clock", since 13, None, []);
question!(SESSIONS, "sessions.sql", "read the sessions", since 13, None, [BOOL]);
question!(PREPARED, "prepared.sql", "read the prepared transactions", since 13, None, []);
question!(RELATIONS, "relations.sql", "read the names of relations", since 13, None, [OID_ARRAY]);

question!(TIMEOUTS, "timeouts.sql", "read the time limits", since 13, None, []);
question!(OVERRIDES, "overrides.sql", "read the settings of roles and databases", since 13, None, []);

question!(
    END_SESSION,
    "end_session.sql",
    "end the session",
    since 13,
    None,
    [INT4, TIMESTAMPTZ, TEXT, TIMESTAMPTZ, OID, OID, OID, INT2, TEXT]
);
question!(LOCKS_OF_KEY, "locks_of_key.sql", "read the locks of the key", since 13, None, [OID, OID, OID, INT2]);
question!(OWNER_OF_SESSION, "owner_of_session.sql", "ask whose session it is", since 13, None, [INT4]);
question!(ROLE_LIMITS, "role_limits.sql", "read the connection limits of the roles", since 13, None, []);
question!(PROVIDER_RESERVED, "provider_reserved.sql", "ask what the provider keeps", since 13, None, []);

/// Every file of `sql/`, so that a test can put each one to every major.
pub const ALL: [Question; 22] = [
    BEGIN,
    SET_ROLE,
    RAW_TEXT,
    WAY_IN,
    SERVER,
    LIMITS,
    DATABASES,
    ROLES,
    MEMBERSHIP,
    LOCKS,
    LOCKS_BEFORE_14,
    MOMENT,
    SESSIONS,
    PREPARED,
    RELATIONS,
    TIMEOUTS,
    OVERRIDES,
    END_SESSION,
    LOCKS_OF_KEY,
    OWNER_OF_SESSION,
    ROLE_LIMITS,
    PROVIDER_RESERVED,
];

impl Question {
    pub fn is_for(&self, major: i32) -> bool {
        major >= self.since && self.until.is_none_or(|until| major < until)
    }

    /// Asks by an unnamed statement in one round trip, which any pooler lets through.
    pub async fn ask(&self, client: &Client, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>> {
        let rows = ask_unnamed(client, self.sql, self.parameters, values).await;
        rows.map_err(|error| self.refused(error))
    }

    /// Asks as [`Question::ask`] does, and hands the rows over one by one as they come.
    pub async fn ask_for_many(&self, client: &Client) -> Result<RowStream> {
        let no_values: [(&(dyn ToSql + Sync), Type); 0] = [];
        client
            .query_typed_raw(self.sql, no_values)
            .await
            .map_err(|error| self.refused(error))
    }

    /// What to say when it was not answered.
    pub fn refused(&self, error: tokio_postgres::Error) -> anyhow::Error {
        in_words(error).context(format!("could not {}", self.purpose))
    }

    /// Asks what has exactly one row.
    pub async fn ask_one(&self, client: &Client) -> Result<Row> {
        let mut rows = self.ask(client, &[]).await?;
        rows.pop()
            .filter(|_| rows.is_empty())
            .with_context(|| format!("could not {}: the answer is not one row", self.purpose))
    }
}

/// An unnamed statement, the n-th value of the n-th type.
pub(super) async fn ask_unnamed(
    client: &Client,
    sql: &str,
    parameters: &[Type],
    values: &[&(dyn ToSql + Sync)],
) -> Result<Vec<Row>, tokio_postgres::Error> {
    let typed = values.iter().copied().zip(parameters.iter().cloned());
    let typed: Vec<_> = typed.collect();
    client.query_typed(sql, &typed).await
}

/// tokio-postgres shows a refusal as "db error" and nothing more.
pub(crate) fn in_words(error: tokio_postgres::Error) -> anyhow::Error {
    match error.as_db_error() {
        Some(refusal) => ServerWords::from(refusal).into(),
        None if error.is_closed() => anyhow::Error::new(error).context(
            "a restart, a crash, pg_terminate_backend or something on the way ended it: try again",
        ),
        None => error.into(),
    }
}
