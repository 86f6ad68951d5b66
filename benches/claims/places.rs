//! Owns the choice of the PostgreSQL to measure with, and of what is compared on it.

use anyhow::{Context, Result};
use lockaudit::throwaway::{Cluster, ClusterOptions, Installation, remove_leftovers};

use crate::program::Program;

/// What the common join needs where somebody types it.
const COMMON_JOIN: &str = include_str!("common_join.sql");

/// The same facts without a join, each of them read on its own and printed with no layout.
const THREE_READS: &str = "\
SELECT * FROM pg_locks WHERE locktype = 'advisory';
SELECT * FROM pg_stat_get_activity(NULL);
SELECT * FROM pg_prepared_xact();";

pub struct Places {
    pub installation: Installation,
}

impl Places {
    /// The newest PostgreSQL of this machine that has a `psql` with it.
    pub fn find() -> Result<Self> {
        remove_leftovers()?;
        let all = Installation::find_all()?;
        let installation = all
            .into_iter()
            .rev()
            .find(Installation::has_clients)
            .context("there is no PostgreSQL with client programs: run `make test` first")?;
        Ok(Self { installation })
    }

    pub fn start(&self, options: &ClusterOptions) -> Result<Cluster> {
        let options = options.clone().template_cache(env!("CARGO_TARGET_TMPDIR"));
        Cluster::start(&self.installation, &options)
    }

    /// The program itself, not the wrapper that Debian puts into `PATH`.
    pub fn psql(&self, arguments: &[&str]) -> Program {
        Program::new(self.installation.program("psql"), arguments)
    }

    pub fn common_join(&self, connection: &str) -> Program {
        self.psql(&["-X", "-d", connection, "-c", COMMON_JOIN])
    }

    pub fn three_reads(&self, connection: &str) -> Program {
        self.psql(&["-X", "-At", "-d", connection, "-c", THREE_READS])
    }
}

/// As the superuser, over the Unix socket.
pub fn connection_to(cluster: &Cluster) -> String {
    cluster.connection_string("postgres", "postgres")
}

pub fn lockaudit(arguments: &[&str]) -> Program {
    Program::new(env!("CARGO_BIN_EXE_lockaudit").into(), arguments)
}

pub fn scan(connection: &str, format: &str) -> Program {
    lockaudit(&["scan", connection, "--format", format])
}
