//! What to do about a finding, and the exact statements for it.
//!
//! A statement that ends a session checks in one go that it is still the session that was seen:
//! pids recur, and a holder may have moved on since.

use crate::hold::Hold;
use crate::key::AdvisoryTag;
use crate::picture::Picture;
use crate::snapshot::{PreparedTransaction, Session};
use crate::text::{sql_literal, sql_moment};

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

/// Ends a session if it is still the one that was seen, still holds this lock, and still does what it
/// was seen doing: in the same state, the same transaction, the same statement. `None` where its start or its state is hidden: nothing to check it by.
pub(super) fn terminate_if_unchanged(hold: &Hold<'_>, session: &Session) -> Option<String> {
    let started = sql_moment(session.backend_start?);
    let state = session.state.as_ref()?.as_str();
    let AdvisoryTag {
        classid,
        objid,
        objsubid,
    } = hold.tag;
    Some(format!(
        "SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a\n\
         WHERE a.pid = {pid}\n\
         AND a.backend_start = {started} AND a.state = {state}\n\
         {at_it}AND EXISTS (SELECT FROM pg_locks l WHERE l.pid = a.pid AND l.granted AND\n\
         (l.locktype, l.database, l.classid, l.objid, l.objsubid, l.mode) =\n\
         ('advisory', {database}, {classid}, {objid}, {objsubid}, {mode}));",
        pid = session.pid,
        state = sql_literal(state),
        at_it = still_at_it(session),
        database = hold.database,
        mode = sql_literal(hold.lock.mode.as_str()),
    ))
}

/// `text` with the statement for it, or why there is none.
pub(super) fn end_session(text: String, hold: &Hold<'_>, session: &Session) -> Advice {
    match terminate_if_unchanged(hold, session) {
        Some(sql) => Advice::run(text, sql),
        None => Advice::say(format!(
            "{text}. Its start and state are hidden from this role, so no safe statement can be \
             given: scan again as a member of pg_monitor"
        )),
    }
}

/// The hold to end a session by: one that somebody waits for, else the first.
pub(super) fn contended<'a, 'b>(picture: &Picture<'a>, holds: &[&'b Hold<'a>]) -> &'b Hold<'a> {
    let wanted = holds
        .iter()
        .find(|hold| !picture.waiters_of(hold).is_empty());
    wanted.unwrap_or(&holds[0])
}

/// A line of a condition; none for an idle session, which may have run a statement in between.
fn still_at_it(session: &Session) -> String {
    let began = match session.is_active() {
        true => "query_start",
        false => "xact_start",
    };
    session.at_it_since().map_or(String::new(), |since| {
        format!("AND a.{began} = {}\n", sql_moment(since))
    })
}

/// Ends a session if it is still the one that was seen, at rest in the very same transaction.
pub(super) fn terminate_in_transaction(session: &Session) -> Option<String> {
    let started = sql_moment(session.backend_start?);
    let began = sql_moment(session.xact_start?);
    let state = session.state.as_ref()?.as_str();
    Some(format!(
        "SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a\n\
         WHERE a.pid = {pid} AND a.backend_start = {started}\n  \
         AND a.state = {state} AND a.xact_start = {began};",
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
    let started = sql_moment(session.backend_start?);
    let query_started = sql_moment(session.query_start?);
    Some(format!(
        "SELECT pg_cancel_backend(a.pid) FROM pg_stat_activity a\n\
         WHERE a.pid = {pid} AND a.backend_start = {started}\n  \
         AND a.state = 'active' AND a.query_start = {query_started};",
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
            let started = sql_moment(session.backend_start?);
            let query_started = sql_moment(session.query_start?);
            Some(format!("  ({}, {started}, {query_started})", session.pid))
        })
        .collect::<Option<_>>()?;
    Some(format!(
        "SELECT pg_cancel_backend(a.pid) FROM pg_stat_activity a\n\
         WHERE a.state = 'active' AND (a.pid, a.backend_start, a.query_start) IN (\n\
         {});",
        seen.join(",\n")
    ))
}
