//! `lockaudit migrate fence`: holds the old keys over one session, and says what it meets, until it is told to end.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};
use rustix::process::Signal;
use tokio::time::{Instant, sleep, sleep_until};

use crate::cli::{FenceFormat, MigrateFenceArgs};
use crate::command::{destination, output};
use crate::cutover::Calls;
use crate::cutover::fence::{
    ALONE_IT_PROVES_NOTHING, Event, Said, Watch, chosen, places, slots, still_chosen, too_many,
};
use crate::exit::{Exit, Hint};
use crate::job::Signals;
use crate::keeper::new_holder;
use crate::key::AdvisoryKey;
use crate::lease::{Holder, Name, Term};
use crate::pg::fence::{FenceSession, Lease};
use crate::pg::target::SessionAttrs;
use crate::pg::{release as server, runtime};
use crate::render;
use crate::terminal;

/// What a clock can count without a doubt.
const LONGEST: Duration = Duration::from_secs(366 * 86_400);
const SHORTEST_ROUND: Duration = Duration::from_millis(10);

/// Counting reads every statement's text, so not in each round.
const COUNT_EVERY: Duration = Duration::from_secs(15);

pub(super) fn run(args: &MigrateFenceArgs) -> Result<Exit> {
    if args.connection.set_role.is_some() {
        bail!("--set-role ends with a transaction, and a fence is a session: connect as the role");
    }
    let mut resolved = destination::resolve(&args.connection)?;
    if resolved.target.session_attrs == SessionAttrs::Any {
        resolved.target.session_attrs = SessionAttrs::ReadWrite;
    }
    runtime()?.block_on(async {
        let mut signals = Signals::listen()?;
        let opened = async {
            let connection = server::open(&resolved).await?;
            FenceSession::over(connection, &args.table.table).await
        };
        let session = tokio::select! {
            signal = signals.next_that_ends() => return Ok(ended_by(signal, 0)),
            opened = opened => opened?,
        };
        let fencing = Fencing::begin(args, session).await?;
        fencing.keep(&mut signals).await
    })
}

/// A fence that stands.
struct Fencing<'a> {
    args: &'a MigrateFenceArgs,
    session: FenceSession<'a>,
    slots: Vec<Name>,
    holder: Holder,
    /// Of its own lease.
    term: Term,
    places: usize,
    watch: Watch,
    wanted: BTreeMap<Name, AdvisoryKey>,
    calls: Calls,
    counted_at: Instant,
    /// The server's clock, as it said last.
    at: Option<SystemTime>,
}

/// Why it ends.
enum End {
    Signal(Signal),
    Time,
    NothingLeft,
}

impl<'a> Fencing<'a> {
    async fn begin(args: &'a MigrateFenceArgs, session: FenceSession<'a>) -> Result<Self> {
        let rows = session.names().await.map_err(no_migration)?;
        let wanted = chosen(&rows, &args.names).map_err(anyhow::Error::msg)?;
        if wanted.is_empty() {
            return Err(Hint::error("take names to `both` by `lockaudit migrate advance`")
                .context("there is nothing to fence: no name with an old key is in mode `both` or `lease`"));
        }
        let places = places(session.places().await?);
        if wanted.len() > places {
            return Err(Hint::error(
                "fence fewer, by --name, or raise max_locks_per_transaction (needs a restart)",
            )
            .context(too_many(wanted.len(), places)));
        }
        // Where it can't be written down that a fence looked, a gate would never open.
        let calls = session.calls().await?;
        session.note(&calls).await?;
        let slots = slots(&session.database().await?);
        let holder = new_holder()?;
        let term = session.take(&slots, &holder, args.ttl).await?;
        let term =
            term.context("as many fences as there can be run already: see `lockaudit lease list`")?;
        terminal::note(ALONE_IT_PROVES_NOTHING);
        Ok(Self {
            args,
            session,
            slots,
            holder,
            term,
            places,
            watch: Watch::default(),
            wanted,
            calls,
            counted_at: Instant::now(),
            at: None,
        })
    }

    async fn keep(mut self, signals: &mut Signals) -> Result<Exit> {
        let until = self
            .args
            .length
            .map(|length| Instant::now() + length.min(LONGEST));
        let kept = self.rounds(signals, until).await;
        let end = match kept {
            Ok(end) => end,
            Err(error) => return Err(self.broken(error).await),
        };
        self.leave().await?;
        Ok(match end {
            End::Signal(signal) => ended_by(signal, self.watch.met()),
            End::Time | End::NothingLeft => met_or_not(self.watch.met()),
        })
    }

    /// A round is never left in the middle.
    async fn rounds(&mut self, signals: &mut Signals, until: Option<Instant>) -> Result<End> {
        let mut events = vec![Event::Began {
            process: self.session.process,
            places: self.places,
        }];
        loop {
            self.round(&mut events).await?;
            self.say(&events)?;
            events.clear();
            if self.wanted.is_empty() {
                terminal::note("no old key is left to fence");
                return Ok(End::NothingLeft);
            }
            tokio::select! {
                biased;
                () = self.session.ended() => bail!("the session has ended"),
                signal = signals.next_that_ends() => return Ok(End::Signal(signal)),
                () = up(until) => return Ok(End::Time),
                () = sleep(self.args.every.clamp(SHORTEST_ROUND, LONGEST)) => {}
            }
        }
    }

    async fn round(&mut self, events: &mut Vec<Event>) -> Result<()> {
        self.hold(events).await?;
        if self.wanted.is_empty() {
            // `migrate finish` has removed what the rest looks at.
            return Ok(());
        }
        let names: Vec<&str> = self.wanted.keys().map(Name::as_str).collect();
        let users = self.session.old_users(&names).await?;
        events.extend(self.watch.saw_users(users));
        let mut fences = self.session.fences(&self.slots).await?;
        fences.retain(|fence| fence.holder != self.holder);
        events.extend(self.watch.saw_fences(fences));
        self.renew(events).await?;
        if let Err(error) = self.note().await {
            // `migrate finish` may have come between.
            self.hold(events).await?;
            return match self.wanted.is_empty() {
                true => Ok(()),
                false => Err(error),
            };
        }
        events.extend(self.watch.whole(&self.wanted));
        Ok(())
    }

    /// Gives back what is not to be fenced any more, first of all: in `advisory` it keeps new code out.
    async fn hold(&mut self, events: &mut Vec<Event>) -> Result<()> {
        let rows = self.session.names().await?;
        let wanted = still_chosen(&rows, &self.args.names);
        let (wanted, no_place) = self.watch.fitting(wanted, self.places);
        events.extend(no_place);
        for name in self
            .session
            .give_back(&self.watch.to_give_back(&wanted))
            .await?
        {
            let row = rows.iter().find(|row| row.name == name);
            let mode = row.filter(|row| row.key.is_some()).map(|row| row.mode);
            events.push(self.watch.gave_back(name, mode));
        }
        for name in self.session.hold(&self.watch.to_try(&wanted)).await? {
            if let Some(key) = wanted.get(&name) {
                events.push(self.watch.got(name, *key));
            }
        }
        self.wanted = wanted;
        Ok(())
    }

    async fn renew(&mut self, events: &mut Vec<Event>) -> Result<()> {
        let renewed = self.session.renew(&self.term, self.args.ttl).await?;
        self.at = Some(renewed.at);
        if renewed.keys < self.watch.locks() {
            bail!(
                "the server counts {} of the {} keys that were held",
                renewed.keys,
                self.watch.locks()
            );
        }
        if renewed.lease == Lease::Lost {
            let taken = self
                .session
                .take(&self.slots, &self.holder, self.args.ttl)
                .await?;
            self.term = taken
                .context("the fence's own lease is lost, and there is no place for another")?;
            events.push(Event::LeaseTakenAnew);
        }
        Ok(())
    }

    async fn note(&mut self) -> Result<()> {
        if self.counted_at.elapsed() >= COUNT_EVERY {
            self.calls = self.session.calls().await?;
            self.counted_at = Instant::now();
        }
        self.session.note(&self.calls).await
    }

    fn say(&self, events: &[Event]) -> Result<()> {
        output::write(None, |mut out: &mut dyn Write| {
            events.iter().try_for_each(|event| {
                let said = Said {
                    at: self.at,
                    fence: &self.term.name,
                    held: self.watch.held().len(),
                    wanted: self.wanted.len(),
                    met: self.watch.met(),
                    event,
                };
                match self.args.format {
                    FenceFormat::Text => render::fence::line(&said, &mut out),
                    FenceFormat::Ndjson => render::json::migrate::fence(&said, &mut out),
                }
            })
        })
    }

    /// The end of the session frees what could not be given back.
    async fn leave(&self) -> Result<()> {
        self.session.give_back(self.watch.held()).await?;
        self.session.release(&self.term).await?;
        self.say(&[Event::Ended])
    }

    /// Whatever broke it, nothing is held from here on.
    async fn broken(self, error: anyhow::Error) -> anyhow::Error {
        if !self.session.has_ended() {
            // What it has is given back, and where that fails it goes with the session; the error says more.
            let _ = self.leave().await;
            self.session.close().await;
            return match crate::exit::is_closed_pipe(&error) {
                true => error,
                false => error.context("the fence had to end, and old code may work"),
            };
        }
        let words = self.session.last_words();
        if let Err(unsaid) = self.say(&[Event::Lost(words.clone())]) {
            return unsaid;
        }
        let held = crate::words::count(self.watch.held().len(), "key");
        let cause = Hint::error(
            "start it again; `lockaudit migrate status` shows who has the keys by then",
        );
        let cause = cause.context(words.unwrap_or_else(|| format!("{error:#}")));
        cause.context(format!(
            "the fence is down: {held} went with its session, and old code may work"
        ))
    }
}

async fn up(until: Option<Instant>) {
    match until {
        Some(until) => sleep_until(until).await,
        None => std::future::pending().await,
    }
}

fn ended_by(signal: Signal, met: usize) -> Exit {
    match signal {
        Signal::INT => Exit::Interrupted,
        _ => met_or_not(met),
    }
}

fn met_or_not(met: usize) -> Exit {
    match met {
        0 => Exit::Clean,
        _ => Exit::Findings,
    }
}

fn no_migration(error: anyhow::Error) -> anyhow::Error {
    crate::pg::cutover::tables_are_missing(error)
}
