//! One attempt to renew, while everything else goes on.

use std::pin::Pin;
use std::time::Duration;

use anyhow::anyhow;
use tokio::time::timeout;

use super::line::{Answer, Line};
use crate::boot_clock;
use crate::lease::Term;
use crate::lease::timetable::{Event, Timetable};
use crate::pg::old_key::KeySession;
use crate::words;

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

/// What is renewed: the lease, the session of the old key, or both.
#[derive(Clone, Copy)]
pub(super) struct Standing<'a> {
    pub(super) table: &'a Timetable,
    pub(super) term: Option<&'a Term>,
    pub(super) key: Option<&'a KeySession>,
}

impl<'a> Standing<'a> {
    /// Confirmed by all that it stands on.
    pub(super) async fn renewed(self, mut line: Line<'a>, within: Duration) -> Tried<'a> {
        let (lease, key) = tokio::join!(self.lease(&mut line, within), self.key(within));
        let (event, failure) = match (lease, key) {
            (Some(lease), Some(key)) => worse(lease, key),
            (one, other) => one.or(other).expect("it stands on something"),
        };
        Tried {
            line,
            event,
            failure,
        }
    }

    async fn lease(self, line: &mut Line<'a>, within: Duration) -> Option<Answered> {
        let (term, ttl) = (self.term?, self.table.ttl());
        let asked = line.ask(within, async |leases| leases.renew(term, ttl).await);
        Some(match asked.await {
            Ok(Answer {
                told: Some(_),
                sent_at,
            }) => (Event::Confirmed { sent_at }, None),
            Ok(Answer { told: None, .. }) => (Event::Lost, None),
            Err(error) => (Event::Unknown, Some(error)),
        })
    }

    async fn key(self, within: Duration) -> Option<Answered> {
        let (key, sent_at) = (self.key?, boot_clock::now());
        Some(match timeout(within, key.is_ours()).await {
            Ok(Ok(true)) => (Event::Confirmed { sent_at }, None),
            Ok(Ok(false)) => (Event::KeyLost, None),
            Ok(Err(error)) => (Event::Unknown, Some(error)),
            Err(_) => {
                let within = words::duration(within);
                let silent = anyhow!("the old key's session did not answer within {within}");
                (Event::Unknown, Some(silent))
            }
        })
    }
}

/// An event, and why nothing is known.
type Answered = (Event, Option<anyhow::Error>);

fn worse(lease: Answered, key: Answered) -> Answered {
    match (&lease.0, &key.0) {
        (Event::Confirmed { sent_at: one }, Event::Confirmed { sent_at: other }) => {
            let sent_at = *one.min(other);
            (Event::Confirmed { sent_at }, None)
        }
        (Event::Lost | Event::KeyLost, _) | (Event::Unknown, Event::Confirmed { .. }) => lease,
        (_, Event::Lost | Event::KeyLost) | (Event::Confirmed { .. }, _) => key,
        _ => lease,
    }
}
