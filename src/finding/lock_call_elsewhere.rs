//! Waiters whose statement is no lock call: a function, a trigger or an extension asks for the lock.

use super::said;
use crate::describe;
use crate::picture::Picture;
use crate::waits::Wait;

/// Waiters whose own text would never make anybody look for a lock.
pub(super) fn lines(picture: &Picture<'_>) -> Vec<String> {
    const SPELLED: usize = 3;
    let waits: Vec<(&Wait<'_>, &str)> = picture
        .advisory_waits()
        .filter_map(|wait| Some((wait, statement_without_lock_call(picture, wait.pid)?)))
        .collect();
    let mut lines: Vec<String> = waits
        .iter()
        .take(SPELLED)
        .map(|(wait, statement)| line(picture, wait, statement))
        .collect();
    if let Some(more @ 1..) = waits.len().checked_sub(SPELLED) {
        lines.push(format!("and {more} more in such statements"));
    }
    lines
}

fn line(picture: &Picture<'_>, wait: &Wait<'_>, statement: &str) -> String {
    let relations: Vec<String> = relations_of_its_numbers(picture, wait)
        .map(|(oid, name)| format!("; {oid} is also the oid of {name}"))
        .collect();
    format!(
        "pid {} waits for {} inside a statement without a lock call (a function, trigger, extension or prepared statement asks for it): {}{}",
        wait.pid,
        describe::target(picture, &wait.lock.target),
        said::squeezed(statement),
        relations.concat()
    )
}

/// Code that locks on behalf of a table makes its oid one of two numbers.
fn relations_of_its_numbers<'b>(
    picture: &'b Picture<'_>,
    wait: &Wait<'_>,
) -> impl Iterator<Item = (u32, &'b str)> {
    let pair = wait
        .lock
        .target
        .advisory()
        .filter(|(_, tag)| tag.objsubid == 2);
    pair.into_iter()
        .flat_map(|(database, tag)| [(database, tag.classid), (database, tag.objid)])
        .filter_map(|id| Some((id.1, picture.snapshot.relations.get(&id)?.as_str())))
}

/// The statement of a session, if all of it is seen and has no lock call in it.
fn statement_without_lock_call<'a>(picture: &Picture<'a>, pid: i32) -> Option<&'a str> {
    // By default the server keeps 1023 bytes (track_activity_query_size).
    const CUT_BY_THE_SERVER: usize = 1_000;
    let query = picture.snapshot.session(pid)?.query.as_deref()?;
    let is_whole = !query.is_empty() && query.len() < CUT_BY_THE_SERVER && !query.ends_with('…');
    (is_whole && !query.to_ascii_lowercase().contains("advisory")).then_some(query)
}
