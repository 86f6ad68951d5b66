//! The steps of a scenario that are about leases.

use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::screen::show;
use super::stage::{Stage, in_time};
use crate::lab::Job;
use crate::lease::Standing;
use crate::render::{narration, table};
use crate::words;

impl Stage {
    pub(super) async fn keep_leases(&mut self) -> Result<()> {
        self.server.prepare_for_leases().await?;
        let target = self.server.application_target()?;
        self.application()?.keep_leases(target).await?;
        self.event(
            "instance",
            "opens one connection beside its pool, which keeps all of its leases",
        )
    }

    pub(super) async fn lease(&mut self, job: Job) -> Result<()> {
        let application = self.application()?;
        let token = in_time("a lease", application.lease(job)).await??;
        self.event(
            job.0,
            &format!("has the lease of its name, under token {token}"),
        )
    }

    pub(super) async fn list_leases(&mut self, held: usize) -> Result<()> {
        let leases = self.server.leases().await?;
        let tenures = leases.iter().filter_map(|lease| lease.tenure.as_ref());
        let valid = tenures.filter(|tenure| matches!(tenure.standing, Standing::Valid { .. }));
        let valid = valid.count();
        ensure!(
            valid == held,
            "{held} leases were to be held, and {valid} are"
        );
        let line = format!("lockaudit lease list '{}'", self.server.connection_string());
        show(|out| narration::command(self.style, &line, out))?;
        show(|mut out| table::leases::listed(&leases, self.style, &mut out))?;
        show(|out| writeln!(out))
    }

    pub(super) async fn write(&mut self, job: Job, within: Duration) -> Result<()> {
        let sql = format!("INSERT INTO work (job) VALUES ('{}')", job.0);
        let limit = words::duration(within);
        let written = self.application()?.run(&sql, within).await?;
        written.with_context(|| format!("{} was to write within {limit}, and could not", job.0))?;
        self.event(
            job.0,
            &format!("works: its write is committed within {limit}"),
        )
    }

    pub(super) async fn release_leases(&mut self) -> Result<()> {
        let given_back = self.application()?.release_leases().await?;
        let leases = words::count(given_back, "lease");
        self.event("instance", &format!("gives {leases} back"))
    }
}
