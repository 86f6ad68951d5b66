//! Giving the lease back, when nothing runs under it any more.

use super::acquire::Granted;
use super::line::{Answer, Line};
use crate::job::Change;
use crate::lease::Term;
use crate::lease::timetable::{Outcome, Timetable};
use crate::terminal;

/// Gives back whatever it is. Only for a grant under which nothing runs.
pub(super) async fn give_back(
    line: &mut Line<'_>,
    table: &Timetable,
    granted: &Granted,
    reason: &str,
) {
    if let Some(term) = &granted.term {
        release(line, table, term, reason).await;
    }
    if let Some(key) = &granted.key {
        key.give_back().await;
    }
}

/// Gives the lease back, and tells who waits. Only for a term under which nothing runs.
pub(super) async fn release(line: &mut Line<'_>, table: &Timetable, term: &Term, reason: &str) {
    let within = table.attempt_to_take();
    let mut last = Ok(());
    // The first connection may be dead without anybody having noticed.
    for _ in 0..2 {
        let asked = line.ask(within, async |leases| {
            leases.release(term, Some(reason)).await
        });
        match asked.await {
            Ok(Answer { told: false, .. }) => return,
            Ok(Answer { told: true, .. }) => {
                // Who waits finds out by looking, too.
                let _ = line
                    .ask(within, async |leases| leases.notify(&term.name).await)
                    .await;
                return;
            }
            Err(error) => last = Err(error),
        }
    }
    if let Err(error) = last {
        let ttl = crate::words::duration(table.ttl());
        terminal::note(&format!(
            "could not give {} back; it ends by itself within {ttl}: {error:#}",
            term.name
        ));
    }
}

/// Whose end a shell would report.
pub(super) fn status(first_process: Option<Change>) -> u8 {
    match first_process {
        Some(Change::Exited(status)) => status,
        Some(Change::Killed(signal)) => 128 + signal,
        _ => 0,
    }
}

/// For the log of leases.
pub(super) fn in_words(outcome: Outcome, first_process: Option<Change>) -> String {
    let stopped = match outcome {
        Outcome::Ended => "",
        Outcome::Stopped(_) => "stopped, ",
    };
    match first_process {
        Some(Change::Killed(signal)) => format!("{stopped}signal {signal}"),
        ended => format!("{stopped}status {}", status(ended)),
    }
}
