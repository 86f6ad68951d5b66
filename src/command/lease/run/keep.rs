//! Keeping the lease while the job runs: one loop that hears of time, answers, children, signals and the
//! guardian, and does what the course of the term says.

use std::time::Duration;

use anyhow::Result;
use rustix::process::Signal;
use tokio::time::{sleep, timeout};

use super::chance;
use super::line::Line;
use super::renewal::{Renewal, Standing, Tried, answered};
use crate::boot_clock;
use crate::guardian::{Guardian, Heard};
use crate::job::{Change, Children, Job, Signals, Suspension, Terminal, resume};
use crate::lease::timetable::{Action, Course, Event, Moment, Outcome, Timetable, Why};
use crate::lease::{Name, Term};
use crate::pg::old_key::KeySession;
use crate::terminal;
use crate::words;

/// The longest sleep: what fell into a suspend of the machine is seen this late, and so is the end of a group
/// whose last process is not our child.
const NAP: Duration = Duration::from_secs(1);
/// A guardian that ended is replaced; the job's own times must not wait for that.
const REPLACED_WITHIN: Duration = Duration::from_secs(1);

/// What must not be lost while the job runs.
pub(super) struct Keeper<'a> {
    pub(super) table: &'a Timetable,
    pub(super) name: &'a Name,
    /// Nothing where the old key stands for the lease.
    pub(super) term: Option<&'a Term>,
    pub(super) key: Option<&'a KeySession>,
    pub(super) job: Job,
    pub(super) children: Children,
    pub(super) signals: Signals,
    pub(super) suspension: Suspension,
    pub(super) terminal: Option<Terminal>,
    pub(super) guardian: Option<Guardian>,
    pub(super) course: Course,
    pub(super) line: Option<Line<'a>>,
    pub(super) renewal: Option<Renewal<'a>>,
    pub(super) progress: Progress,
}

/// What is known of the job, and what has been said.
#[derive(Debug, Default)]
pub(super) struct Progress {
    first_process: Option<Change>,
    key_lost: bool,
    failing: bool,
    lingering: bool,
}

/// How it ended.
pub(super) struct Ended<'a> {
    pub(super) outcome: Outcome,
    pub(super) first_process: Option<Change>,
    pub(super) line: Option<Line<'a>>,
    pub(super) signals: Signals,
    pub(super) children: Children,
    pub(super) guardian: Option<Guardian>,
}

enum Happening<'a> {
    Guardian(Heard),
    KeyLost,
    Time,
    Children,
    Renewal(Box<Tried<'a>>),
    Signal(Signal),
    Continued,
}

impl<'a> Keeper<'a> {
    /// Lets the job begin, and comes back when nothing of it runs any more.
    pub(super) async fn keep(mut self) -> Ended<'a> {
        if let Some(terminal) = &mut self.terminal {
            terminal.hand_over_to_talk(self.job.group);
        }
        self.job.go();
        loop {
            let happening = self.happens().await;
            if let Some(outcome) = self.heed(happening).await {
                return self.end(outcome);
            }
        }
    }

    /// The guardian is heard before the clock: what it has told the job is not told twice.
    async fn happens(&mut self) -> Happening<'a> {
        let nap = self.nap();
        let Self {
            children,
            signals,
            suspension,
            guardian,
            renewal,
            key,
            progress,
            ..
        } = self;
        tokio::select! {
            biased;
            heard = hear(guardian) => Happening::Guardian(heard),
            () = ended(*key), if !progress.key_lost => Happening::KeyLost,
            () = children.changed() => Happening::Children,
            signal = signals.next() => Happening::Signal(signal),
            () = suspension.continued() => Happening::Continued,
            tried = answered(renewal) => Happening::Renewal(Box::new(tried)),
            () = sleep(nap) => Happening::Time,
        }
    }

    fn nap(&self) -> Duration {
        let wakes_at = self.course.wakes_at(self.table);
        let left = |at: Duration| at.saturating_sub(boot_clock::now());
        wakes_at.map_or(NAP, |at| left(at).min(NAP))
    }

    /// The outcome, once there is one.
    async fn heed(&mut self, happening: Happening<'a>) -> Option<Outcome> {
        let event = match happening {
            Happening::Guardian(Heard::StoppedTheJob) => Event::StoppedByGuardian,
            Happening::Guardian(Heard::Gone) => {
                self.replace_guardian().await;
                Event::Tick
            }
            Happening::KeyLost => {
                self.progress.key_lost = true;
                Event::KeyLost
            }
            Happening::Children => {
                self.heed_children().await;
                Event::Tick
            }
            Happening::Signal(signal) => {
                self.pass_on(signal);
                Event::Tick
            }
            Happening::Continued => {
                if let Some(terminal) = &mut self.terminal {
                    resume(self.job.group, terminal);
                }
                Event::Tick
            }
            Happening::Renewal(tried) => {
                self.say_tried(&tried);
                self.renewal = None;
                self.line = Some(tried.line);
                tried.event
            }
            Happening::Time => Event::Tick,
        };
        if let Some(outcome) = self.step(event).await {
            return Some(outcome);
        }
        match self.has_ended() {
            true => self.end_of_group().await,
            false => None,
        }
    }

    async fn end_of_group(&mut self) -> Option<Outcome> {
        if let Some(guardian) = &mut self.guardian
            && guardian.has_stopped_the_job().await
        {
            self.step(Event::StoppedByGuardian).await;
        }
        self.step(Event::GroupEmpty).await
    }

    fn has_ended(&mut self) -> bool {
        let first_ended = self.progress.first_process.is_some();
        let ended = first_ended && self.job.group.is_empty();
        if first_ended && !ended && !std::mem::replace(&mut self.progress.lingering, true) {
            terminal::note(&format!(
                "the command has ended, and other processes of its group run: {} is kept until they end",
                self.name
            ));
        }
        ended
    }

    async fn step(&mut self, event: Event) -> Option<Outcome> {
        let moment = Moment {
            now: boot_clock::now(),
            chance: chance(),
        };
        let (course, actions) = self.course.next(self.table, event, moment);
        self.course = course;
        let mut outcome = None;
        for action in actions {
            match action {
                Action::Renew { within } => self.renew(within),
                Action::TellGuardian { stop_at, kill_at } => {
                    self.tell(|guardian| guardian.renewed(stop_at, kill_at));
                    self.guard_again().await;
                }
                Action::Terminate { why, kill_at } => {
                    self.say_stopped(why);
                    self.tell(|guardian| guardian.stopping(kill_at));
                    self.job.group.terminate();
                }
                Action::Kill => self.job.group.kill(),
                Action::Finish(finished) => outcome = Some(finished),
            }
        }
        outcome
    }

    fn tell(&self, news: impl FnOnce(&Guardian)) {
        if let Some(guardian) = &self.guardian {
            news(guardian);
        }
    }

    fn renew(&mut self, within: Duration) {
        let line = self.line.take().expect("one renewal at a time");
        let standing = Standing {
            table: self.table,
            term: self.term,
            key: self.key,
        };
        self.renewal = Some(Box::pin(standing.renewed(line, within)));
    }

    /// A first process that has ended is not signalled: its number may be another's.
    fn pass_on(&self, signal: Signal) {
        match self.progress.first_process {
            None => self.job.pass_on(signal),
            Some(_) => self.job.group.signal(signal),
        }
    }

    async fn heed_children(&mut self) {
        for (pid, change) in self.children.changes() {
            if pid == self.job.group.leader() {
                self.heed_first_process(change).await;
            }
        }
    }

    async fn heed_first_process(&mut self, change: Change) {
        match change {
            Change::Exited(_) | Change::Killed(_) => self.progress.first_process = Some(change),
            Change::Stopped(signal) => {
                if let Some(terminal) = &mut self.terminal {
                    self.suspension
                        .follow(self.job.group, terminal, signal)
                        .await;
                }
            }
            Change::Continued => {}
        }
    }

    /// Somebody ended it: nobody would stop the job if we could not.
    async fn replace_guardian(&mut self) {
        self.guardian = None;
        terminal::note("the lease's guardian has ended; another one is started");
        self.guard_again().await;
    }

    async fn guard_again(&mut self) {
        if self.guardian.is_some() {
            return;
        }
        let started = timeout(REPLACED_WITHIN, self.new_guardian()).await;
        match started {
            Ok(Ok(guardian)) => self.guardian = Some(guardian),
            Ok(Err(error)) => terminal::note(&format!("{error:#}; the job runs unguarded")),
            Err(_) => {
                terminal::note("no guardian could be started in time; the job runs unguarded")
            }
        }
    }

    async fn new_guardian(&self) -> Result<Guardian> {
        let mut guardian = Guardian::start().await?;
        let Action::TellGuardian { stop_at, kill_at } = self.course.news(self.table) else {
            return Ok(guardian);
        };
        guardian.watch(self.job.group, stop_at, kill_at).await?;
        if self.key.is_some() {
            guardian.holds_a_key();
        }
        Ok(guardian)
    }

    /// The first failure of a row of them, and its end.
    fn say_tried(&mut self, tried: &Tried<'_>) {
        let name = self.name;
        match (&tried.failure, self.progress.failing) {
            (Some(error), false) => terminal::note(&format!(
                "could not renew {name}, and goes on trying: {error:#}"
            )),
            (None, true) if matches!(tried.event, Event::Confirmed { .. }) => {
                terminal::note(&format!("{name} is renewed again"));
            }
            _ => {}
        }
        self.progress.failing = tried.failure.is_some();
    }

    fn say_stopped(&self, why: Why) {
        let name = self.name;
        terminal::note(&match why {
            Why::Lost => {
                format!("{name} is lost: it is not ours any more; the job is told to stop")
            }
            Why::KeyLost => format!(
                "the session that had the old key of {name} has ended{}, and old code may have begun; the job is told to stop",
                self.last_words()
            ),
            Why::Unconfirmed => format!(
                "{name} could not be renewed in time; the job is told to stop, {} before the lease ends",
                words::duration(self.table.grace() + self.table.margin())
            ),
        });
    }

    fn last_words(&self) -> String {
        let words = self.key.and_then(KeySession::last_words);
        words.map(|words| format!(" ({words})")).unwrap_or_default()
    }

    fn end(mut self, outcome: Outcome) -> Ended<'a> {
        self.tell(Guardian::over);
        if let Some(terminal) = &mut self.terminal {
            terminal.take_back();
            if matches!(self.progress.first_process, Some(Change::Killed(_))) {
                terminal.tidy_up();
            }
        }
        Ended {
            outcome,
            first_process: self.progress.first_process,
            line: self.line,
            signals: self.signals,
            children: self.children,
            guardian: self.guardian,
        }
    }
}

async fn hear(guardian: &mut Option<Guardian>) -> Heard {
    match guardian {
        Some(guardian) => guardian.hear().await,
        None => std::future::pending().await,
    }
}

async fn ended(key: Option<&KeySession>) {
    match key {
        Some(key) => key.ended().await,
        None => std::future::pending().await,
    }
}
