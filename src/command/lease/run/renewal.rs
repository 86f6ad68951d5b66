//! One attempt to renew, while everything else goes on.

use std::pin::Pin;
use std::time::Duration;

use super::line::{Answer, Line};
use crate::lease::Term;
use crate::lease::timetable::{Event, Timetable};

/// An attempt under way.
pub(super) type Renewal<'a> = Pin<Box<dyn Future<Output = Tried<'a>> + 'a>>;

/// One attempt to renew, and what it says about the lease.
pub(super) struct Tried<'a> {
    pub(super) line: Line<'a>,
    pub(super) event: Event,
    /// Why nothing is known.
    pub(super) failure: Option<anyhow::Error>,
}

/// What comes of the attempt; never anything without one.
pub(super) async fn answered<'a>(renewal: &mut Option<Renewal<'a>>) -> Tried<'a> {
    match renewal {
        Some(renewal) => renewal.await,
        None => std::future::pending().await,
    }
}

/// Begins one.
pub(super) async fn renewed<'a>(
    mut line: Line<'a>,
    table: &Timetable,
    term: &Term,
    within: Duration,
) -> Tried<'a> {
    let ttl = table.ttl();
    let asked = line.ask(within, async |leases| leases.renew(term, ttl).await);
    let (event, failure) = match asked.await {
        Ok(Answer {
            told: Some(_),
            sent_at,
        }) => (Event::Confirmed { sent_at }, None),
        Ok(Answer { told: None, .. }) => (Event::Lost, None),
        Err(error) => (Event::Unknown, Some(error)),
    };
    Tried {
        line,
        event,
        failure,
    }
}
