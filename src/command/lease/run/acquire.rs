//! Getting the lease: asked for, waited for, and given up when a signal or the time says so.

use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::Signal;
use tokio::time::sleep;

use super::asking::{Asking, Leased};
use super::chance;
use super::give_back::give_back;
use super::line::Line;
use crate::boot_clock;
use crate::cutover::admission::{Busy, Way};
use crate::entrance::{Entered, Standing, Wish, get_in};
use crate::exit::Hint;
use crate::job::Signals;
use crate::keeper::new_holder;
use crate::lease;
use crate::lease::timetable::{Timetable, after_news, between_looks, between_tries};
use crate::lease::{Holder, Name, Seen, Term};
use crate::pg::failure::ServerWords;
use crate::pg::old_key::KeySession;
use crate::render::lease as words;
use crate::terminal;

/// How long a waiter waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    None,
    For(Duration),
    Endless,
}

/// What is asked for, by whom.
pub(super) struct Request<'a> {
    pub(super) name: &'a Name,
    /// The first; see [`Waiting::has_given_back`].
    pub(super) holder: &'a Holder,
    pub(super) reason: &'a str,
    pub(super) table: &'a Timetable,
    pub(super) patience: Patience,
    /// What is done about the old key of a name that moves to its lease.
    pub(super) way: Way,
}

pub(super) enum Acquired {
    Granted(Box<Granted>),
    /// Somebody else has it.
    Not,
    /// Given up, and nothing is held.
    Signalled(Signal),
}

pub(super) struct Granted {
    pub(super) holder: Holder,
    /// Nothing where the old key stands for the lease.
    pub(super) term: Option<Term>,
    pub(super) key: Option<KeySession>,
    /// A moment before the question was sent that was answered first.
    pub(super) sent_at: Duration,
}

/// What one look came to.
enum Look {
    Granted(Box<Granted>),
    /// For this long still, where that is known.
    Taken(Option<Duration>),
    /// The old key is in use.
    KeyInUse,
}

/// Answers that another try would get again: a missing table, no right to it. Anything else may pass: SQLSTATE
/// classes of connections, transactions, resources, operators and of read-only servers, and the warning of a server
/// that did not wait for its standby.
const MAY_PASS: [&str; 8] = ["01", "08", "25", "40", "53", "55", "57", "58"];

/// A first try that came to nothing is not repeated for longer by someone who does not wait.
const RETRIED_FOR: Duration = Duration::from_secs(5);

/// # Errors
/// When the first try failed for good, and when the time was up without an answer.
pub(super) async fn acquire(
    request: &Request<'_>,
    line: &mut Line<'_>,
    signals: &mut Signals,
) -> Result<Acquired> {
    let mut waiting = Waiting::begun(request);
    loop {
        let (look, signal) = with_signals(signals, waiting.look(line)).await;
        match (look, signal) {
            (Ok(Look::Granted(granted)), None) => {
                line.hush(request.table.attempt_to_take()).await;
                return Ok(Acquired::Granted(granted));
            }
            (Ok(Look::Granted(granted)), Some(signal)) => {
                give_back(line, request.table, &granted, "given up before it began").await;
                return Ok(Acquired::Signalled(signal));
            }
            (_, Some(signal)) => return Ok(Acquired::Signalled(signal)),
            (look, None) => {
                let reached = line.has_reached_a_server();
                let Some(pause) = waiting.goes_on(look, reached)? else {
                    return Ok(Acquired::Not);
                };
                line.listen(request.table.attempt_to_take()).await;
                tokio::select! {
                    signal = signals.next_that_ends() => return Ok(Acquired::Signalled(signal)),
                    () = line.hears_of(request.name) => sleep(after_news(chance())).await,
                    () = sleep(pause) => {}
                }
            }
        }
    }
}

/// An attempt under way is not left alone: what it was granted would be held by nobody.
async fn with_signals<T>(
    signals: &mut Signals,
    attempt: impl Future<Output = T>,
) -> (T, Option<Signal>) {
    let mut attempt = std::pin::pin!(attempt);
    tokio::select! {
        biased;
        done = &mut attempt => (done, None),
        signal = signals.next_that_ends() => (attempt.await, Some(signal)),
    }
}

struct Waiting<'a> {
    request: &'a Request<'a>,
    holder: Holder,
    began: Duration,
    looks: u32,
    failures: u32,
    said: bool,
}

impl<'a> Waiting<'a> {
    fn begun(request: &'a Request<'a>) -> Self {
        Self {
            request,
            holder: request.holder.clone(),
            began: boot_clock::now(),
            looks: 0,
            failures: 0,
            said: false,
        }
    }

    /// After the first time, a look that writes nothing and locks nothing comes before another try.
    async fn look(&mut self, line: &mut Line<'_>) -> Result<Look> {
        if self.looks > 0
            && let Some(left) = self.probe(line).await?
        {
            return Ok(Look::Taken(Some(left)));
        }
        self.get_in(line).await
    }

    async fn get_in(&mut self, line: &mut Line<'_>) -> Result<Look> {
        let server = line.server();
        let wish = Wish {
            name: self.request.name,
            table: &server.table,
            target: &server.resolved.target,
            way: self.request.way,
            wait: match self.request.patience {
                Patience::None => Duration::ZERO,
                Patience::For(_) | Patience::Endless => self.request.table.wait_for_key(),
            },
        };
        let mut asking = Asking {
            request: self.request,
            holder: &self.holder,
            line,
            has_released: false,
        };
        let entered = get_in(wish, &mut asking).await;
        if asking.has_released {
            self.has_given_back()?;
        }
        match entered? {
            Entered::In(standing) => self.granted(line, *standing).await,
            Entered::Not(Busy::Key) => {
                self.say_key_in_use();
                Ok(Look::KeyInUse)
            }
            Entered::Not(_) => Ok(Look::Taken(self.probe(line).await?)),
        }
    }

    /// What was waited for long may be nearly over: it is given back, and asked for again.
    async fn granted(&mut self, line: &mut Line<'_>, standing: Standing<Leased>) -> Result<Look> {
        let Standing { lease, key } = standing;
        let (term, taken_at) = match lease {
            Some(Leased { term, sent_at }) => (Some(term), Some(sent_at)),
            None => (None, None),
        };
        let asked_at = key.as_ref().map(|key| key.asked_at);
        let granted = Granted {
            holder: self.holder.clone(),
            term,
            key: key.map(|key| key.session),
            sent_at: taken_at
                .into_iter()
                .chain(asked_at)
                .min()
                .unwrap_or_default(),
        };
        let table = self.request.table;
        match is_worth_beginning(table, granted.sent_at) {
            true => Ok(Look::Granted(Box::new(granted))),
            false => {
                give_back(line, table, &granted, "nearly over before it began").await;
                self.has_given_back()?;
                Ok(Look::Taken(None))
            }
        }
    }

    /// Whoever gave back takes nothing again: a release that was not answered may arrive late, and would free
    /// what the same holder was granted anew, under the same token. `lease_model` has it as a flaw.
    fn has_given_back(&mut self) -> Result<()> {
        self.holder = new_holder()?;
        Ok(())
    }

    /// How long somebody else has it for; nothing if it is free, or ours: an answer may have been lost, and who asks
    /// again gets the same lease.
    async fn probe(&mut self, line: &mut Line<'_>) -> Result<Option<Duration>> {
        let name = self.request.name;
        let within = self.request.table.attempt_to_take();
        let asked = line.ask(within, async |leases| leases.probe(name).await);
        let seen = asked.await?.told;
        let held = seen.as_ref().and_then(|seen| seen.held.as_ref());
        let others = held.filter(|held| held.holder != self.holder);
        let left = others.and_then(|held| match held.standing {
            lease::Standing::Valid { remaining } => Some(remaining),
            lease::Standing::Expired { .. } => None,
        });
        if left.is_some() {
            self.say_once(seen.as_ref());
        }
        Ok(left)
    }

    fn say_key_in_use(&mut self) {
        if !std::mem::replace(&mut self.said, true) {
            let name = self.request.name;
            let why = format!("the old key of {name} is in use: old code works, or waits to");
            terminal::note(&match self.request.patience {
                Patience::None => format!("not granted: {why}"),
                Patience::For(_) | Patience::Endless => format!("waiting: {why}"),
            });
        }
    }

    fn say_once(&mut self, seen: Option<&Seen>) {
        if !std::mem::replace(&mut self.said, true) {
            let why = words::not_granted(self.request.name, seen);
            terminal::note(&match self.request.patience {
                Patience::None => why,
                Patience::For(_) | Patience::Endless => format!("waiting; {why}"),
            });
        }
    }

    /// The pause before the next look; nothing when the time is up.
    fn goes_on(&mut self, look: Result<Look>, reached: bool) -> Result<Option<Duration>> {
        let renew = self.request.table.renew();
        match look {
            Ok(Look::Granted(_)) => Ok(None),
            Ok(Look::Taken(left)) => {
                self.failures = 0;
                let pause = between_looks(self.looks, left, chance());
                self.looks += 1;
                Ok(self.time_left(Duration::ZERO).map(|left| pause.min(left)))
            }
            // It was waited for already, and others had their turn.
            Ok(Look::KeyInUse) => {
                self.failures = 0;
                let pause = between_looks(0, None, chance());
                Ok(self.time_left(Duration::ZERO).map(|left| pause.min(left)))
            }
            Err(error) if is_final(&error, reached) => Err(error),
            Err(error) => {
                let pause = between_tries(self.failures, renew, chance());
                self.say_failed(&error);
                self.failures += 1;
                let left = self.time_left(RETRIED_FOR);
                let left = left.ok_or(error).with_context(|| {
                    format!("could not learn whether {} is free", self.request.name)
                })?;
                Ok(Some(pause.min(left)))
            }
        }
    }

    /// Nothing once it is up. Who does not wait gets a little time to learn how it stands.
    fn time_left(&self, without_waiting: Duration) -> Option<Duration> {
        let patience = match self.request.patience {
            Patience::Endless => return Some(Duration::MAX),
            Patience::None => without_waiting,
            Patience::For(patience) => patience.max(without_waiting),
        };
        let waited = boot_clock::now().saturating_sub(self.began);
        patience.checked_sub(waited).filter(|left| !left.is_zero())
    }

    /// The first failure of a row of them.
    fn say_failed(&self, error: &anyhow::Error) {
        if self.failures == 0 && self.request.patience != Patience::None {
            let name = self.request.name;
            terminal::note(&format!(
                "could not learn whether {name} is free, and goes on trying: {error:#}"
            ));
        }
    }
}

/// A server that was never reached may not be there; one that was may come back.
fn is_final(error: &anyhow::Error, reached: bool) -> bool {
    let mut causes = error.chain();
    match causes.find_map(|cause| cause.downcast_ref::<ServerWords>()) {
        Some(words) => !MAY_PASS
            .iter()
            .any(|class| words.sqlstate.starts_with(class)),
        None => !reached || error.chain().any(|cause| cause.is::<Hint>()),
    }
}

fn is_worth_beginning(table: &Timetable, sent_at: Duration) -> bool {
    let begins = boot_clock::now() + table.renew();
    begins < table.stop_at(table.deadline(sent_at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_pass_is_asked_for_again_and_what_would_be_refused_again_is_not() {
        let is_final = |sqlstate: &str| {
            let words = ServerWords {
                severity: "WARNING".to_owned(),
                sqlstate: sqlstate.to_owned(),
                message: String::new(),
                detail: None,
                hint: None,
                routine: None,
            };
            super::is_final(
                &anyhow::Error::new(words).context("could not take it"),
                true,
            )
        };
        // It did not wait for its standby; it is read-only; it is shut down.
        for passes in ["01000", "25006", "57P01"] {
            assert!(!is_final(passes), "{passes}");
        }
        // There is no such table; there is no right to it.
        for stays in ["42P01", "42501"] {
            assert!(is_final(stays), "{stays}");
        }
    }
}
