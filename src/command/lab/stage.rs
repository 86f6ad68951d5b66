//! The stage on which a scenario is played: each step is done, observed and told.

use std::future::Future;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use tokio::time::{sleep, timeout};

use super::application::{Application, End};
use super::clients::Clients;
use super::operator::Fence;
use super::pods::Tally;
use super::pool::Use;
use super::scan::{Look, Scan, Scanned};
use super::screen::show;
use super::server::Server;
use crate::fleet::Fleet;
use crate::lab::{Answer, Instance, Job, Step};
use crate::pg::LockCount;
use crate::render::narration;
use crate::render::style::Style;
use crate::throwaway::PgBouncer;
use crate::words;

/// How long an expected state may take to come.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(5);

/// Everything that runs. The application and the clients go before the pooler, and that before the server.
pub(super) struct Stage {
    pub(super) clients: Clients,
    pub(super) application: Option<Application>,
    pub(super) fence: Option<Fence>,
    pub(super) fleet: Option<Fleet>,
    /// What pods did that have ended.
    pub(super) tallies: Vec<Tally>,
    scanned: Option<Scanned>,
    scan: Scan,
    pub(super) pooler: Option<PgBouncer>,
    pub(super) server: Server,
    pub(super) style: Style,
}

impl Stage {
    pub(super) fn on(server: Server, scan: Scan, style: Style) -> Self {
        Self {
            clients: Clients::new(),
            application: None,
            fence: None,
            fleet: None,
            tallies: Vec::new(),
            scanned: None,
            scan,
            pooler: None,
            server,
            style,
        }
    }

    /// Straight at the server, and at the console of its pooler where there is one.
    pub(super) fn look(&self) -> Look {
        let console = self.pooler.as_ref();
        Look {
            connection: self.server.connection_string(),
            console: console.map(|pooler| self.server.console_of(pooler)),
        }
    }

    /// Plays the steps in their order.
    ///
    /// # Errors
    /// The first one that did not come out as the scenario says.
    pub(super) async fn play(&mut self, steps: &[Step]) -> Result<()> {
        for step in steps {
            self.perform(*step).await?;
        }
        Ok(())
    }

    async fn perform(&mut self, step: Step) -> Result<()> {
        match step {
            Step::Tell(text) => tell(self.style, text),
            Step::Start(instance) => self.start(instance).await,
            Step::Lock(job) => self.lock(job).await,
            Step::Work(job) => self.work(job),
            Step::ExpectLocks { granted, waiting } => {
                self.expect_locks(LockCount { granted, waiting }).await
            }
            Step::ExpectPool { taken, asked_for } => {
                self.expect_pool(Use { taken, asked_for }).await
            }
            Step::Probe { within, answer } => self.probe(within, answer).await,
            Step::Scan { finds } => self.scan(&self.look(), finds).await,
            Step::ScanThroughPooler { finds } => {
                let connection = self.server.connection_string_through(self.pooler()?);
                let look = Look {
                    connection,
                    console: None,
                };
                self.scan(&look, finds).await
            }
            Step::StartPooler { size } => self.start_pooler(size),
            Step::Come(client) => self.come(client).await,
            Step::Ask {
                client,
                job,
                answer,
            } => self.ask(client, job, answer).await,
            Step::Leave(client) => self.leave(client).await,
            Step::FollowAdvice => self.follow_advice().await,
            Step::ExpectEnds { lost, done } => self.expect_ends(lost, done).await,
            Step::KeepLeases => self.keep_leases().await,
            Step::Lease(job) => self.lease(job).await,
            Step::ListLeases { held } => self.list_leases(held).await,
            Step::Write { job, within } => self.write(job, within).await,
            Step::ReleaseLeases => self.release_leases().await,
            Step::StartPods { job, code, pods } => self.start_pods(job, code, pods).await,
            Step::Replace {
                with,
                turns,
                expected,
            } => self.replace_pods(with, turns, expected).await,
            Step::Turns(turns) => self.turns(turns).await,
            Step::CountDoubleWork { expected } => self.count_double_work(expected),
            Step::StopPods => self.stop_pods().await,
            Step::WriteMap(job) => self.write_map(job),
            Step::SitDown => self.sit_down(),
            Step::Operate { words, exit } => self.operate(words, exit).await,
            Step::Insist(words) => self.insist(words).await,
            Step::StartFence => self.start_fence().await,
            Step::EndFence => self.end_fence().await,
            Step::CompareDoubleWork => self.compare_double_work(),
        }
    }

    async fn start(&mut self, instance: Instance) -> Result<()> {
        let target = self.server.application_target()?;
        self.application = Some(Application::start(instance, target).await?);
        let connections = words::count(instance.pool, "connection");
        self.event(instance.name, &format!("opens its pool of {connections}"))
    }

    async fn lock(&mut self, job: Job) -> Result<()> {
        let application = self.application()?;
        let locked = in_time("a connection for a lock", application.lock(job)).await?;
        locked?;
        let call = format!("pg_try_advisory_lock(hashtext('{}'))", job.0);
        self.event(job.0, &format!("takes a connection; {call} is true"))
    }

    fn work(&mut self, job: Job) -> Result<()> {
        self.application()?.work(job)?;
        self.event(job.0, "asks the pool for a second connection")
    }

    async fn expect_locks(&mut self, expected: LockCount) -> Result<()> {
        let server = &self.server;
        wait_for("the locks in pg_locks", expected, async || {
            server.count_locks().await
        })
        .await?;
        let LockCount { granted, waiting } = expected;
        let text = format!("advisory locks: {granted} granted, {waiting} waited for");
        self.event("pg_locks", &text)
    }

    async fn expect_pool(&mut self, expected: Use) -> Result<()> {
        let application = self.application()?;
        wait_for("the use of the pool", expected, async || {
            Ok(application.usage())
        })
        .await?;
        let Use { taken, asked_for } = expected;
        let text = format!("connections: {taken} taken, 0 free, {asked_for} more asked for");
        self.event("pool", &text)
    }

    async fn probe(&mut self, within: Duration, expected: Answer) -> Result<()> {
        let answer = self.application()?.probe(within).await?;
        let limit = words::duration(within);
        ensure!(
            answer == expected,
            "the readiness probe was to say {expected:?} within {limit}, and said {answer:?}"
        );
        let text = match answer {
            Answer::Ready => "gets a connection: ready".to_owned(),
            Answer::NotReady => format!("gets no connection within {limit}: not ready"),
        };
        self.event("readiness probe", &text)
    }

    async fn scan(&mut self, look: &Look, rule: &str) -> Result<()> {
        let scanned = self.scan.run(look, self.style).await?;
        ensure!(
            scanned.rules.contains(&rule),
            "the scan was to find `{rule}`, and did not"
        );
        self.scanned = Some(scanned);
        Ok(())
    }

    async fn follow_advice(&mut self) -> Result<()> {
        let advised = self.scanned.as_ref().and_then(|it| it.statement.as_ref());
        let sql = advised.context("no finding of the scan advises a statement")?;
        show(|out| narration::command(self.style, sql, out))?;
        let rows = self.server.run(sql).await?;
        ensure!(rows == 1, "the advised statement gave {rows} rows, not 1");
        self.event(
            "operator",
            "runs it: 1 row, so one session has been told to end",
        )
    }

    async fn expect_ends(&mut self, lost: usize, done: usize) -> Result<()> {
        let ends = self.application()?.ends();
        let ends = in_time("the end of the jobs", ends).await??;
        for (job, end) in &ends {
            self.event(job.0, words_for(*end))?;
        }
        let came = |wanted| ends.iter().filter(|(_, end)| *end == wanted).count();
        let came = (came(End::LostItsLock), came(End::Done));
        ensure!(
            came == (lost, done),
            "{lost} jobs were to lose their lock and {done} to be done; it came to {} and {}",
            came.0,
            came.1
        );
        Ok(())
    }

    pub(super) fn application(&mut self) -> Result<&mut Application> {
        let application = self.application.as_mut();
        application.context("the scenario has not started its application")
    }

    pub(super) fn event(&self, who: &str, what: &str) -> Result<()> {
        show(|out| narration::event(self.style, who, what, out))
    }
}

fn words_for(end: End) -> &'static str {
    match end {
        End::LostItsLock => "sees the session of its lock end, and gives this round up",
        End::Done => "gets its second connection, works, unlocks",
    }
}

fn tell(style: Style, text: &str) -> Result<()> {
    show(|out| narration::tell(style, text, out))
}

/// Looks until the state is as expected.
async fn wait_for<T: PartialEq + std::fmt::Debug>(
    what: &str,
    expected: T,
    look: impl AsyncFn() -> Result<T>,
) -> Result<()> {
    let mut last = None;
    let coming = async {
        while last.as_ref() != Some(&expected) {
            sleep(PAUSE).await;
            last = Some(look().await?);
        }
        Ok(())
    };
    match timeout(PATIENCE, coming).await {
        Ok(came) => came,
        Err(_) => bail!("{what} were to become {expected:?}, and are {last:?}"),
    }
}

pub(super) async fn in_time<T>(what: &str, coming: impl Future<Output = T>) -> Result<T> {
    let seconds = PATIENCE.as_secs();
    let came = timeout(PATIENCE, coming).await;
    came.with_context(|| format!("waited {seconds} s in vain for {what}"))
}
