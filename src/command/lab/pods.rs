//! The steps of a scenario that are about pods, and the count of their double work.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tokio::time::sleep;

use super::stage::{Stage, in_time};
use crate::cutover::double_work::Code;
use crate::fleet::Fleet;
use crate::lab::{DoubleWork, Job};
use crate::words;

const PAUSE: Duration = Duration::from_millis(5);

/// What a scenario's pods did, those of each job by themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tally {
    job: String,
    old_runs: usize,
    new_runs: usize,
    double_work: usize,
}

impl Tally {
    fn of(fleet: &Fleet) -> Self {
        let journal = fleet.journal();
        Self {
            job: fleet.job().to_owned(),
            old_runs: journal.count(Code::Old),
            new_runs: journal.count(Code::New),
            double_work: journal.double_work(),
        }
    }

    /// `12 runs by old code, 3 by new; double work 0 times`
    fn said(&self) -> String {
        format!(
            "{} by old code, {} by new; double work {}",
            words::count(self.old_runs, "run"),
            self.new_runs,
            words::count(self.double_work, "time")
        )
    }
}

impl Stage {
    pub(super) async fn start_pods(&mut self, job: Job, code: Code, pods: usize) -> Result<()> {
        let mut fleet = Fleet::of(job.0, self.server.application_target()?);
        for _ in 0..pods {
            fleet.start(code).await?;
        }
        self.fleet = Some(fleet);
        let pods = words::count(pods, "pod");
        let text = format!("{pods} of {} begin, each in its turn", said(code));
        self.event(job.0, &text)
    }

    pub(super) async fn replace_pods(
        &mut self,
        with: Code,
        turns: usize,
        expected: DoubleWork,
    ) -> Result<()> {
        while self.fleet()?.codes().iter().any(|code| *code != with) {
            let fleet = self.fleet()?;
            let came = fleet.start(with).await?.name().to_owned();
            self.let_work(turns).await?;
            if expected == DoubleWork::Something {
                self.let_meet().await?;
            }
            let gone = self.fleet()?.stop_one_without(with).await?;
            let gone = gone.context("there was one to replace")?;
            self.event("deploy", &format!("{came} is up, {gone} is gone"))?;
        }
        Ok(())
    }

    pub(super) async fn turns(&mut self, turns: usize) -> Result<()> {
        self.let_work(turns).await?;
        let job = self.fleet()?.job().to_owned();
        self.event(&job, "the pods work on, in turns")
    }

    pub(super) async fn stop_pods(&mut self) -> Result<()> {
        let fleet = self.fleet()?;
        fleet.stop().await?;
        let tally = Tally::of(fleet);
        let text = "its pods end";
        self.event(&tally.job, text)?;
        self.tallies.push(tally);
        Ok(())
    }

    pub(super) fn count_double_work(&mut self, expected: DoubleWork) -> Result<()> {
        let tally = Tally::of(self.fleet()?);
        self.event("checker", &tally.said())?;
        let came = match tally.double_work {
            0 => DoubleWork::Nothing,
            _ => DoubleWork::Something,
        };
        ensure!(
            came == expected,
            "double work was to come to {expected:?}, and came to {came:?}"
        );
        Ok(())
    }

    pub(super) fn compare_double_work(&self) -> Result<()> {
        let mut tallies = self.tallies.iter();
        tallies.try_for_each(|tally| self.event(&tally.job, &tally.said()))
    }

    /// Until every code that is there has had so many more turns.
    async fn let_work(&mut self, turns: usize) -> Result<()> {
        let fleet = self.fleet()?;
        let journal = fleet.journal().clone();
        let wanted: Vec<(Code, usize)> = fleet
            .codes()
            .into_iter()
            .map(|code| (code, journal.count(code) + turns))
            .collect();
        let working = async {
            let is_done = |(code, count): &(Code, usize)| journal.count(*code) >= *count;
            while !wanted.iter().all(is_done) {
                sleep(PAUSE).await;
            }
        };
        in_time("the pods' turns", working).await
    }

    /// Until two have worked at the same time.
    async fn let_meet(&mut self) -> Result<()> {
        let journal = self.fleet()?.journal().clone();
        let meeting = async {
            while journal.double_work() == 0 {
                sleep(PAUSE).await;
            }
        };
        in_time("double work", meeting).await
    }

    fn fleet(&mut self) -> Result<&mut Fleet> {
        let fleet = self.fleet.as_mut();
        fleet.context("the scenario has not started its pods")
    }
}

fn said(code: Code) -> &'static str {
    match code {
        Code::Old => "old code",
        Code::New => "new code",
    }
}
