//! Getting the lease: asked for, waited for, and given up when a signal or the time says so.

use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::Signal;
use tokio::time::sleep;

use super::chance;
use super::give_back::release;
use super::line::{Answer, Line};
use crate::boot_clock;
use crate::job::Signals;
use crate::lease::timetable::{Timetable, after_news, between_looks, between_tries};
use crate::lease::{Bridge, Grant, Holder, Mode, Name, Seen, Standing, Term, Wanted};
use crate::pg::failure::ServerWords;
use crate::pg::lease::Floor;
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
    pub(super) holder: &'a Holder,
    pub(super) reason: &'a str,
    pub(super) table: &'a Timetable,
    pub(super) patience: Patience,
}

pub(super) enum Acquired {
    Granted(Granted),
    /// Somebody else has it.
    Not,
    /// Given up, and nothing is held.
    Signalled(Signal),
}

pub(super) struct Granted {
    pub(super) term: Term,
    /// A moment before the question was sent.
    pub(super) sent_at: Duration,
}

/// What one look came to.
enum Look {
    Granted(Granted),
    /// For this long still, where that is known.
    Taken(Option<Duration>),
}

/// Answers that another try would get again: a missing table, no right to it. Anything else may pass: SQLSTATE
/// classes of connections, transactions, resources, operators and of read-only servers.
const MAY_PASS: [&str; 7] = ["08", "25", "40", "53", "55", "57", "58"];

/// Why waiting for this lease would be in vain.
#[derive(Debug)]
struct NotForLeases(String);

impl std::fmt::Display for NotForLeases {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotForLeases {}

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
                release(
                    line,
                    request.table,
                    &granted.term,
                    "given up before it began",
                )
                .await;
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
    began: Duration,
    looks: u32,
    failures: u32,
    said: bool,
}

impl<'a> Waiting<'a> {
    fn begun(request: &'a Request<'a>) -> Self {
        Self {
            request,
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
        match self.take(line).await? {
            Some(granted) => Ok(Look::Granted(granted)),
            None => Ok(Look::Taken(self.probe(line).await?)),
        }
    }

    async fn take(&self, line: &mut Line<'_>) -> Result<Option<Granted>> {
        let Request {
            name,
            holder,
            reason,
            table,
            ..
        } = *self.request;
        let wanted = Wanted {
            name,
            holder,
            ttl: table.ttl(),
            bridge: Bridge::None,
            reason: Some(reason),
        };
        let asked = line.ask(table.attempt_to_take(), async |leases| {
            leases.take(&wanted).await
        });
        let Answer { sent_at, told } = asked.await?;
        let Some((grant, floor)) = told else {
            return Ok(None);
        };
        self.heed_floor(floor);
        let term = Term {
            name: name.clone(),
            holder: holder.clone(),
            token: grant.token,
        };
        Ok(is_worth_beginning(table, &grant, sent_at).then_some(Granted { term, sent_at }))
    }

    fn heed_floor(&self, floor: Floor) {
        if floor == Floor::None {
            terminal::note(
                "the server does not say which timeline it is on: after an asynchronous failover a token may be granted again",
            );
        }
    }

    /// How long somebody else has it for; nothing if it is free.
    async fn probe(&mut self, line: &mut Line<'_>) -> Result<Option<Duration>> {
        let name = self.request.name;
        let within = self.request.table.attempt_to_take();
        let asked = line.ask(within, async |leases| leases.probe(name).await);
        let seen = asked.await?.told;
        self.refuse_other_modes(seen.as_ref())?;
        let left = seen.as_ref().and_then(|seen| seen.held.as_ref());
        let left = left.and_then(|held| match held.standing {
            Standing::Valid { remaining } => Some(remaining),
            Standing::Expired { .. } => None,
        });
        if left.is_some() {
            self.say_once(seen.as_ref());
        }
        Ok(left)
    }

    /// In the other modes the old key must be held too, which this does not do.
    fn refuse_other_modes(&self, seen: Option<&Seen>) -> Result<()> {
        match seen {
            Some(Seen { mode, .. }) if *mode != Mode::Lease => Err(NotForLeases(format!(
                "{} is in mode `{}` of its migration from an advisory key, where a lease alone does not keep others out",
                self.request.name,
                mode.as_str()
            ))
            .into()),
            _ => Ok(()),
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
        None => !reached || error.chain().any(|cause| cause.is::<NotForLeases>()),
    }
}

/// A lease that was waited for on a locked row may be nearly over: the same holder asks again.
fn is_worth_beginning(table: &Timetable, grant: &Grant, sent_at: Duration) -> bool {
    let begins = boot_clock::now() + table.renew();
    !grant.left.remaining.is_zero() && begins < table.stop_at(table.deadline(sent_at))
}
