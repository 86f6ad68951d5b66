//! `lockaudit release`: shows one holder, asks, and ends it if it is still what was shown.

mod confirm;
mod refusal;

use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::interrupt::unless_interrupted;
use super::{destination, output};
use crate::cli::ReleaseArgs;
use crate::exit::Exit;
use crate::hold::{Hold, Holder};
use crate::pg::connect::Connection;
use crate::pg::release::{self as server, Ending};
use crate::pg::sample::{self, Sampling};
use crate::pg::{QueryTexts, runtime};
use crate::picture::{Expectations, LockId, Picture};
use crate::release::{Briefing, Guard, Named, Unguarded, Wanted, way_out};
use crate::render::briefing;
use crate::render::style::Style;
use crate::snapshot::Snapshot;
use crate::{describe, terminal};

/// Between two samples: enough to see a busy pooler hand its connection to another application.
const GAP: Duration = Duration::from_millis(200);

const NOTHING_DONE: &str = "interrupted; nothing was done";

pub(super) fn run(args: &ReleaseArgs) -> Result<Exit> {
    let resolved = destination::resolve(&args.connection)?;
    runtime()?.block_on(async {
        let Some(connection) = unless_interrupted(server::open(&resolved)).await? else {
            return Ok(interrupted(NOTHING_DONE));
        };
        let exit = Release::new(args, &connection).run().await;
        connection.close().await;
        exit
    })
}

fn interrupted(what_is_done: &str) -> Exit {
    terminal::note(what_is_done);
    Exit::Interrupted
}

struct Release<'a> {
    args: &'a ReleaseArgs,
    connection: &'a Connection,
    sampling: Sampling,
    style: Style,
}

/// What is decided before anything is done.
enum Decision {
    /// The whole answer has been given.
    Over(Exit),
    End(Guard),
}

impl<'a> Release<'a> {
    fn new(args: &'a ReleaseArgs, connection: &'a Connection) -> Self {
        Self {
            args,
            connection,
            sampling: Sampling {
                role: args.connection.set_role.clone(),
                texts: QueryTexts::Read,
            },
            style: terminal::style(args.color),
        }
    }

    async fn run(&self) -> Result<Exit> {
        let Some(samples) = unless_interrupted(self.look()).await? else {
            return Ok(interrupted(NOTHING_DONE));
        };
        let expectations = Expectations::default();
        let (last, earlier) = samples.split_last().context("no sample was taken")?;
        let picture = Picture::of(earlier, last, &expectations);
        match unless_interrupted(self.decide(&picture)).await? {
            None => Ok(interrupted(NOTHING_DONE)),
            Some(Decision::Over(exit)) => Ok(exit),
            Some(Decision::End(guard)) => self.end(&picture, &guard).await,
        }
    }

    async fn look(&self) -> Result<Vec<Snapshot>> {
        let earlier = sample::take(self.connection, &self.sampling).await?;
        tokio::time::sleep(GAP).await;
        let last = sample::take(self.connection, &self.sampling).await?;
        Ok(vec![earlier, last])
    }

    /// Shows what would be ended, and asks.
    async fn decide(&self, picture: &Picture<'_>) -> Result<Decision> {
        let hold = self.find(picture)?;
        let guard = match Guard::of(picture.snapshot, hold) {
            Ok(guard) => guard,
            Err(because) => return self.show_way_out(picture, hold, because),
        };
        let briefing = Briefing::of(picture, hold);
        if self.args.dry_run {
            self.show_statement(&briefing, &server::statement(&guard))?;
            return Ok(Decision::Over(Exit::Clean));
        }
        self.show(&briefing)?;
        if self.args.yes || confirm::end_this_session().await? {
            return Ok(Decision::End(guard));
        }
        self.say("nothing done")?;
        Ok(Decision::Over(Exit::Clean))
    }

    fn find<'p, 's>(&self, picture: &'p Picture<'s>) -> Result<&'p Hold<'s>> {
        let wanted = Wanted {
            holder: match (self.args.pid, &self.args.gid) {
                (Some(pid), _) => Named::Pid(pid),
                (None, Some(gid)) => Named::Gid(gid.clone()),
                (None, None) => bail!("give the holder: --pid, or --gid of a prepared transaction"),
            },
            database: self.database(picture.snapshot)?,
            tag: self.args.key.tag,
        };
        wanted.find(picture).map_err(refusal::not_held)
    }

    /// Names may be out of reach when the lock table is full; our own session knows its number.
    fn database(&self, snapshot: &Snapshot) -> Result<u32> {
        if let Some(name) = &self.args.database {
            let named = snapshot.database_oid(name);
            return named.with_context(|| format!("there is no database `{name}`"));
        }
        let viewer = &snapshot.viewer;
        let own = || snapshot.session(viewer.pid)?.datid;
        let connected = snapshot.database_oid(&viewer.database).or_else(own);
        let meant = self.args.key.database.or(connected);
        meant.context("the number of the connected database is not known")
    }

    fn show(&self, briefing: &Briefing) -> Result<()> {
        output::write(None, |out| briefing::write(briefing, self.style, out))
    }

    fn show_statement(&self, briefing: &Briefing, sql: &str) -> Result<()> {
        output::write(None, |out| {
            briefing::write_with_statement(briefing, sql, self.style, out)
        })
    }

    fn say(&self, outcome: &str) -> Result<()> {
        output::write(None, |out| {
            briefing::write_outcome(outcome, self.style, out)
        })
    }

    /// A prepared transaction is shown with the statement for it.
    fn show_way_out(
        &self,
        picture: &Picture<'_>,
        hold: &Hold<'_>,
        because: Unguarded,
    ) -> Result<Decision> {
        let briefing = Briefing::of(picture, hold);
        let Holder::Prepared(Some(prepared)) = hold.holder else {
            return Err(refusal::unguarded(&briefing.holder, because));
        };
        let advice = way_out(picture, prepared);
        self.show_statement(&briefing, advice.sql.as_deref().unwrap_or_default())?;
        match self.args.dry_run {
            true => Ok(Decision::Over(Exit::Clean)),
            false => Err(refusal::prepared(&briefing.holder, &advice.text)),
        }
    }

    async fn end(&self, picture: &Picture<'_>, guard: &Guard) -> Result<Exit> {
        let told = server::end(self.connection, &self.sampling, guard);
        match unless_interrupted(told).await? {
            None => Ok(interrupted(
                "interrupted; the session may have been told to end",
            )),
            Some(Ending::Told) => self.see_it_go(picture, guard).await,
            Some(Ending::NotAsShown) => self.say_what_changed(guard).await,
            Some(Ending::Forbidden(forbidden)) => {
                let role = &picture.snapshot.viewer.role;
                Err(refusal::forbidden(guard.pid, role, &forbidden))
            }
        }
    }

    async fn see_it_go(&self, picture: &Picture<'_>, guard: &Guard) -> Result<Exit> {
        let free = server::wait_until_free(self.connection, &self.sampling, guard);
        let Some(now) = unless_interrupted(free).await? else {
            return Ok(interrupted("interrupted; the session was told to end"));
        };
        let id = LockId {
            database: guard.database,
            tag: guard.tag,
        };
        self.say(&format!(
            "ended: pid {} no longer holds {}; {}",
            guard.pid,
            describe::key(picture, id),
            now.sentence(picture)
        ))?;
        Ok(Exit::Clean)
    }

    async fn say_what_changed(&self, guard: &Guard) -> Result<Exit> {
        let again = sample::take(self.connection, &self.sampling);
        let Some(now) = unless_interrupted(again).await? else {
            return Ok(interrupted(NOTHING_DONE));
        };
        self.say(&format!(
            "nothing done: pid {} {}",
            guard.pid,
            guard.change(&now).sentence()
        ))?;
        Ok(Exit::Findings)
    }
}
