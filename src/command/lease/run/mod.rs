//! `lockaudit lease run`: takes a lease, runs a command under it, stops the command when the lease is lost.
//!
//! Everything that could fail for want of processes is made before the lease is taken, and signals are heard
//! from the very start: between the take and the command none is lost.

mod acquire;
mod asking;
mod give_back;
mod keep;
mod line;
mod renewal;

use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::Signal;

use self::acquire::{Acquired, Granted, Patience, Request, acquire};
use self::give_back::{give_back, in_words, status};
use self::keep::{Ended, Keeper, Progress};
use self::line::{Line, Server};
use super::session;
use crate::boot_clock;
use crate::cli::LeaseRunArgs;
use crate::exit::{self, Exit};
use crate::guardian::Guardian;
use crate::job::{Children, Job, Order, Signals, Suspension, Terminal};
use crate::keeper;
use crate::lease::timetable::{Course, Outcome, Timetable, Wished};
use crate::lease::{Holder, TableName};
use crate::pg::runtime;
use crate::terminal;

/// The command's status is the answer, so a failure of ours has one of its own.
pub(super) fn run(args: &LeaseRunArgs) -> Exit {
    let ended = try_to_run(args);
    terminal::notes::finish();
    ended.unwrap_or_else(|error| {
        exit::explain(&error, &mut terminal::stderr());
        Exit::OwnFailure
    })
}

fn try_to_run(args: &LeaseRunArgs) -> Result<Exit> {
    let table = Timetable::of(Wished {
        ttl: args.ttl,
        renew: args.renew,
        grace: args.grace,
        margin: args.margin,
    })?;
    let server = Server {
        resolved: session::resolve(&args.connection, session::Touch::Writes)?,
        table: args.table.table.clone(),
    };
    let server = server.within(table.attempt_to_take());
    terminal::notes::begin().context("could not start a thread that writes notes")?;
    let holder = keeper::new_holder()?;
    runtime()?.block_on(async {
        let surroundings = Surroundings::prepare().await?;
        let run = Run {
            args,
            table: &table,
            server: &server,
            holder: &holder,
        };
        run.run(surroundings)
            .await
            .map_err(|error| session::with_way_out(error, &server.table))
    })
}

/// All that a job needs besides the lease.
struct Surroundings {
    signals: Signals,
    suspension: Suspension,
    children: Children,
    terminal: Option<Terminal>,
    guardian: Guardian,
}

impl Surroundings {
    async fn prepare() -> Result<Self> {
        Ok(Self {
            signals: Signals::listen()?,
            suspension: Suspension::listen()?,
            children: Children::watch()?,
            terminal: Terminal::of_this_process(),
            guardian: Guardian::start().await?,
        })
    }
}

struct Run<'a> {
    args: &'a LeaseRunArgs,
    table: &'a Timetable,
    server: &'a Server,
    holder: &'a Holder,
}

impl Run<'_> {
    async fn run(&self, mut around: Surroundings) -> Result<Exit> {
        let mut line = Line::to(self.server);
        let granted = match self.acquire(&mut line, &mut around.signals).await {
            Ok(Acquired::Granted(granted)) => granted,
            other => {
                line.close().await;
                around.guardian.leave(&mut around.children).await;
                return other.map(|other| self.without_lease(&other));
            }
        };
        match self.launch(&granted, &mut around).await {
            Ok(job) => Ok(self.keep(job, &granted, line, around).await),
            Err(error) => {
                give_back(&mut line, self.table, &granted, "no job could be started").await;
                line.close().await;
                // Nothing runs that it would have to stop.
                around.guardian.over();
                around.guardian.leave(&mut around.children).await;
                Err(error)
            }
        }
    }

    async fn acquire(&self, line: &mut Line<'_>, signals: &mut Signals) -> Result<Acquired> {
        let program = self.args.command[0].to_string_lossy();
        let request = Request {
            name: &self.args.name,
            holder: self.holder,
            reason: self.args.reason.as_deref().unwrap_or(&program),
            table: self.table,
            patience: self.patience(),
            way: self.args.bridge.into(),
        };
        acquire(&request, line, signals).await
    }

    fn without_lease(&self, acquired: &Acquired) -> Exit {
        match acquired {
            Acquired::Signalled(signal) => signalled(*signal),
            Acquired::Not | Acquired::Granted(_) => Exit::NotAcquired(self.args.conflict_exit_code),
        }
    }

    fn patience(&self) -> Patience {
        match (self.args.no_wait, self.args.wait) {
            (true, _) => Patience::None,
            (false, Some(wait)) => Patience::For(wait),
            (false, None) => Patience::Endless,
        }
    }

    /// A job that waits for its word, and a guardian that knows it.
    async fn launch(&self, granted: &Granted, around: &mut Surroundings) -> Result<Job> {
        let order = Order {
            command: &self.args.command,
            environment: self.environment(granted),
        };
        let job = Job::launch(&order, &mut around.children).await?;
        let guarded = self.guard(job, granted, around).await;
        if guarded.is_err() {
            job.group.kill();
        }
        guarded.map(|()| job)
    }

    async fn guard(&self, job: Job, granted: &Granted, around: &mut Surroundings) -> Result<()> {
        let deadline = self.table.deadline(granted.sent_at);
        let (stop_at, kill_at) = (self.table.stop_at(deadline), self.table.kill_at(deadline));
        if around
            .guardian
            .watch(job.group, stop_at, kill_at)
            .await
            .is_err()
        {
            // It may have been ended while the lease was waited for.
            around.guardian = Guardian::start().await?;
            around.guardian.watch(job.group, stop_at, kill_at).await?;
        }
        if let Some(key) = &granted.key {
            around.guardian.holds_a_key();
            if key.has_ended() {
                bail!("the session of the old key ended before the job could begin");
            }
        }
        match boot_clock::now() < stop_at {
            true => Ok(()),
            false => bail!("the lease was nearly over before the job could begin"),
        }
    }

    /// Where the old key stands for the lease there is no token, and none of an outer job's is passed on.
    fn environment(&self, granted: &Granted) -> Vec<(&'static str, Option<String>)> {
        let token = granted.term.as_ref().map(|term| term.token.to_string());
        let mut environment = vec![
            ("LOCKAUDIT_LEASE_NAME", Some(self.args.name.to_string())),
            ("LOCKAUDIT_LEASE_HOLDER", Some(granted.holder.to_string())),
            ("LOCKAUDIT_LEASE_TOKEN", token),
            ("LOCKAUDIT_LEASE_TTL", Some(ttl(self.table.ttl()))),
        ];
        if self.server.table != TableName::default() {
            environment.push(("LOCKAUDIT_LEASE_TABLE", Some(self.server.table.to_string())));
        }
        environment
    }

    async fn keep(
        &self,
        job: Job,
        granted: &Granted,
        line: Line<'_>,
        around: Surroundings,
    ) -> Exit {
        let course = Course::begun(self.table, granted.sent_at, chance());
        let keeper = Keeper {
            table: self.table,
            name: &self.args.name,
            term: granted.term.as_ref(),
            key: granted.key.as_ref(),
            job,
            children: around.children,
            signals: around.signals,
            suspension: around.suspension,
            terminal: around.terminal,
            guardian: Some(around.guardian),
            course,
            line: Some(line),
            renewal: None,
            progress: Progress::default(),
        };
        let ended = keeper.keep().await;
        self.end(granted, ended).await
    }

    /// Nothing of the job runs any more. A second signal means that nobody wants to wait for the server.
    async fn end(&self, granted: &Granted, ended: Ended<'_>) -> Exit {
        let Ended {
            outcome,
            first_process,
            line,
            mut signals,
            mut children,
            guardian,
        } = ended;
        let mut line = line.unwrap_or_else(|| Line::to(self.server));
        let reason = in_words(outcome, first_process);
        tokio::select! {
            () = give_back(&mut line, self.table, granted, &reason) => {}
            _ = signals.next_that_ends() => terminal::note("interrupted; the lease ends by itself"),
        }
        line.close().await;
        if let Some(guardian) = guardian {
            guardian.leave(&mut children).await;
        }
        match outcome {
            Outcome::Ended => Exit::Command(status(first_process)),
            Outcome::Stopped(_) => Exit::LeaseLost,
        }
    }
}

fn signalled(signal: Signal) -> Exit {
    Exit::Signal(u8::try_from(signal.as_raw()).unwrap_or(0))
}

fn ttl(length: Duration) -> String {
    humantime::format_duration(length).to_string()
}

/// From 0 to 1. Without any chance, all that wait would ask at once; no more is at stake.
fn chance() -> f64 {
    let number = getrandom::u32().unwrap_or(u32::MAX / 2);
    f64::from(number) / f64::from(u32::MAX)
}
