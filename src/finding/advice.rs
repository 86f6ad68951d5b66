//! What to do about a finding, and the exact statements for it.
//!
//! A statement that ends a session checks in one go that it is still the session that was seen:
//! pids recur, and a holder may have moved on since.

use std::time::SystemTime;

use crate::hold::Hold;
use crate::key::AdvisoryTag;
use crate::picture::Picture;
use crate::snapshot::{PreparedTransaction, Session};
use crate::text::sql_literal;

/// One step, with the statement for it where there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    pub text: String,
    pub sql: Option<String>,
}

impl Advice {
    pub fn say(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            sql: None,
        }
    }

    pub fn run(text: impl Into<String>, sql: String) -> Self {
        Self {
            text: text.into(),
            sql: Some(sql),
        }
    }
}

/// Ends a session if it is still the one that was seen, still holds this lock, and is still in the
/// state that was seen. `None` where its start or its state is hidden: nothing to check it by.
pub(super) fn terminate_if_unchanged(hold: &Hold<'_>, session: &Session) -> Option<String> {
    let started = exact(session.backend_start?);
    let state = session.state.as_ref()?.as_str();
    let AdvisoryTag {
        classid,
        objid,
        objsubid,
    } = hold.tag;
    Some(format!(
        "SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a WHERE a.pid = {pid}\n\
         AND a.backend_start = '{started}' AND a.state = {state}\n\
         AND EXISTS (SELECT FROM pg_locks l WHERE l.pid = a.pid AND l.granted AND\n\
         (l.locktype, l.database, l.classid, l.objid, l.objsubid) =\n\
         ('advisory', {database}, {classid}, {objid}, {objsubid}));",
        pid = session.pid,
        state = sql_literal(state),
        database = hold.database,
    ))
}

/// Ends a session if it is still the one that was seen, at rest in the very same transaction.
pub(super) fn terminate_in_transaction(session: &Session) -> Option<String> {
    let started = exact(session.backend_start?);
    let began = exact(session.xact_start?);
    let state = session.state.as_ref()?.as_str();
    Some(format!(
        "SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a\n\
         WHERE a.pid = {pid} AND a.backend_start = '{started}'\n  \
         AND a.state = {state} AND a.xact_start = '{began}';",
        pid = session.pid,
        state = sql_literal(state),
    ))
}

/// Ends a prepared transaction, from a session in its database.
pub(crate) fn roll_back(
    picture: &Picture<'_>,
    prepared: &PreparedTransaction,
    text: &str,
) -> Advice {
    let database = picture
        .database_label(prepared.database)
        .unwrap_or_else(|| prepared.database.to_string());
    let role = prepared.owner.as_deref().unwrap_or("its owner");
    let (how, sql) = statement_for(prepared);
    Advice::run(
        format!("{text} ({how}connected to {database} as {role} or a superuser)"),
        sql,
    )
}

/// A global id in which bytes were not to be read names no transaction: its own database can tell.
fn statement_for(prepared: &PreparedTransaction) -> (&'static str, String) {
    if prepared.gid.contains(char::REPLACEMENT_CHARACTER) {
        let sql = format!(
            "SELECT format('ROLLBACK PREPARED %L;', gid) FROM pg_prepared_xacts\n\
             WHERE transaction = '{}';",
            prepared.transaction
        );
        return ("run what this statement gives, ", sql);
    }
    let sql = format!("ROLLBACK PREPARED {};", sql_literal(&prepared.gid));
    ("", sql)
}

/// Cancels a running statement if it is still the same session.
pub(super) fn cancel_if_unchanged(session: &Session) -> Option<String> {
    let started = exact(session.backend_start?);
    let query_started = exact(session.query_start?);
    Some(format!(
        "SELECT pg_cancel_backend(a.pid) FROM pg_stat_activity a\n\
         WHERE a.pid = {pid} AND a.backend_start = '{started}'\n  \
         AND a.state = 'active' AND a.query_start = '{query_started}';",
        pid = session.pid,
    ))
}

/// Cancels the running statements of these sessions, each if it is still the one that was seen. `None`
/// where one of them can't be told from a later one.
pub(super) fn cancel_all_if_unchanged(sessions: &[&Session]) -> Option<String> {
    if let [only] = sessions {
        return cancel_if_unchanged(only);
    }
    let seen: Vec<String> = sessions
        .iter()
        .map(|session| {
            let started = exact(session.backend_start?);
            let query_started = exact(session.query_start?);
            Some(format!(
                "  ({}, '{started}', '{query_started}')",
                session.pid
            ))
        })
        .collect::<Option<_>>()?;
    Some(format!(
        "SELECT pg_cancel_backend(a.pid) FROM pg_stat_activity a\n\
         WHERE a.state = 'active' AND (a.pid, a.backend_start, a.query_start) IN (\n\
         {});",
        seen.join(",\n")
    ))
}

/// A server time with all its microseconds, so that equality holds.
pub(crate) fn exact(time: SystemTime) -> String {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(_) => humantime::format_rfc3339_micros(time).to_string(),
        // Before 1970 the formatter panics; no session started then.
        Err(_) => "-infinity".to_owned(),
    }
}
