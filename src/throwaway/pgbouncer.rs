//! Owns a throwaway PgBouncer in front of a throwaway server: on a Unix socket in a folder of its own, and
//! on no port.

use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;
use std::{env, fs};

use anyhow::{Context, Result, bail};

use super::deadline::poll;
use super::{Account, Cluster, PrivateFolder};

const PATIENCE: Duration = Duration::from_secs(10);

/// In the name of its socket only.
const PORT: u16 = 6432;

/// One that runs. Dropped, it is ended, and its folder is removed.
#[derive(Debug)]
pub struct PgBouncer {
    process: Child,
    folder: PrivateFolder,
}

impl PgBouncer {
    /// Where it is installed, if it is: Debian and Homebrew have it outside of most users' `PATH`.
    pub fn program() -> Option<PathBuf> {
        let folders = env::var_os("PATH").unwrap_or_default();
        env::split_paths(&folders)
            .chain(["/usr/sbin", "/opt/homebrew/bin"].map(PathBuf::from))
            .map(|folder| folder.join("pgbouncer"))
            .find(|path| path.exists())
    }

    /// Starts one that lends connections by the transaction, so many for each database and user. It takes
    /// `postgres` without a password, and lets it see the console.
    ///
    /// # Errors
    /// Where PgBouncer is not installed, or ends at once.
    pub fn start(cluster: &Cluster, size: usize) -> Result<Self> {
        let program = Self::program().context(
            "PgBouncer was not found on this machine: install it (Debian: `apt install pgbouncer`, \
             macOS: `brew install pgbouncer`)",
        )?;
        let account = Account::for_servers()?;
        let folder = PrivateFolder::create(account)?;
        let files = [
            ("pgbouncer.ini", configuration(folder.path(), cluster, size)),
            ("users.txt", "\"postgres\" \"\"\n".to_owned()),
        ];
        for (name, content) in files {
            fs::write(folder.path().join(name), content)
                .with_context(|| format!("could not write PgBouncer's {name}"))?;
        }
        let process = account
            .command(&program)
            .arg("--quiet")
            .arg(folder.path().join("pgbouncer.ini"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .context("could not start `pgbouncer`")?;
        let mut started = Self { process, folder };
        started.wait_until_it_listens()?;
        Ok(started)
    }

    /// As [`Cluster::connection_string`], through it; its console is the database `pgbouncer`.
    pub fn connection_string(&self, database: &str, user: &str) -> String {
        let host = self.folder.path().display();
        format!("host={host} port={PORT} user={user} dbname={database}")
    }

    fn wait_until_it_listens(&mut self) -> Result<()> {
        let socket = self.folder.path().join(format!(".s.PGSQL.{PORT}"));
        let listens = poll(PATIENCE, || {
            let ended = !matches!(self.process.try_wait(), Ok(None));
            match ended {
                true => Some(false),
                false => UnixStream::connect(&socket).is_ok().then_some(true),
            }
        });
        match listens {
            Some(true) => Ok(()),
            _ => bail!(
                "PgBouncer did not start; its log has:\n{}",
                fs::read_to_string(self.folder.path().join("pgbouncer.log"))
                    .unwrap_or_else(|error| format!("nothing ({error})"))
            ),
        }
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        // Ended before its folder goes; it may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn configuration(folder: &Path, cluster: &Cluster, size: usize) -> String {
    let folder = folder.display();
    let host = cluster.socket_folder().display();
    let port = cluster.port();
    format!(
        "[databases]
* = host={host} port={port}

[pgbouncer]
listen_port = {PORT}
unix_socket_dir = {folder}
pidfile = {folder}/pgbouncer.pid
logfile = {folder}/pgbouncer.log
auth_type = trust
auth_file = {folder}/users.txt
admin_users = postgres
pool_mode = transaction
default_pool_size = {size}
"
    )
}
