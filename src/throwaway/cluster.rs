//! Owns one running throwaway server, from the choice of its port to the removal of its files.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::folder::Medium;
use super::initdb::make_data_directory;
use super::options::address_text;
use super::postmaster::Postmaster;
use super::{Account, ClusterOptions, Installation, Listen, PrivateFolder, Shutdown};

/// Rewritten for each try of a port, and included by postgresql.conf.
const ADDRESS_FILE: &str = "address.conf";

/// How often another port is tried: somebody may take a free one before the server does.
const TRIES: usize = 5;

/// One running server. Dropped, it is stopped at once and all its files are removed.
#[derive(Debug)]
pub struct Cluster {
    // Stopped before the folder is removed: fields are dropped in this order.
    postmaster: Option<Postmaster>,
    pub(super) installation: Installation,
    pub(super) account: Account,
    pub(super) listen: Listen,
    environment: Vec<(String, String)>,
    port: u16,
    folder: PrivateFolder,
}

impl Cluster {
    /// Makes a data directory and starts its server; gives it back once it takes connections.
    ///
    /// Errors end with the last lines of the server's log.
    pub fn start(installation: &Installation, options: &ClusterOptions) -> Result<Self> {
        let mut cluster = Self::prepare(installation, options.listen, options.medium)?;
        cluster.environment.clone_from(&options.environment);
        let cache = options.template_cache.as_deref();
        make_data_directory(
            &cluster.data_directory(),
            installation,
            cluster.account,
            cache,
        )?;
        cluster.configure(options)?;
        cluster.start_on_a_free_port()?;
        Ok(cluster)
    }

    pub fn installation(&self) -> &Installation {
        &self.installation
    }

    pub fn listen(&self) -> Listen {
        self.listen
    }

    /// The port of 127.0.0.1, and the one in the socket's name.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// What libpq calls the host of a Unix socket.
    pub fn socket_folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn data_directory(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub fn log_file(&self) -> PathBuf {
        self.folder.path().join("server.log")
    }

    /// The pid of the running server, if it runs.
    pub fn pid(&self) -> Option<u32> {
        self.postmaster.as_ref().map(Postmaster::pid)
    }

    /// Connects over the Unix socket: `host=… port=… user=… dbname=…`. The names need no quotes.
    pub fn connection_string(&self, database: &str, user: &str) -> String {
        let host = self.socket_folder().display();
        format!(
            "host={host} port={} user={user} dbname={database}",
            self.port
        )
    }

    /// Stops the server and keeps its files; nothing happens when it does not run.
    pub fn stop(&mut self, shutdown: Shutdown) -> Result<()> {
        self.postmaster
            .take()
            .map_or(Ok(()), |postmaster| postmaster.stop(shutdown))
    }

    /// Stops the server if it runs, and starts it on the same port.
    pub fn restart(&mut self, shutdown: Shutdown) -> Result<()> {
        self.stop(shutdown)?;
        self.start_again()
    }

    /// Ends a standby's recovery; gives back once it takes writes.
    pub fn promote(&self) -> Result<()> {
        let output = self
            .command("pg_ctl")
            .args(["promote", "--wait", "--pgdata"])
            .arg(self.data_directory())
            .output()
            .context("could not start `pg_ctl`")?;
        let complaint = String::from_utf8_lossy(&output.stderr);
        ensure!(
            output.status.success(),
            "could not promote the standby: {complaint}"
        );
        Ok(())
    }

    /// One of the installation's programs, to be run as the server's account.
    pub fn command(&self, program: &str) -> Command {
        self.account.command(&self.installation.program(program))
    }

    /// Writes a file in the data directory, readable by the server's account only.
    pub fn write_file(&self, name: &str, content: impl AsRef<[u8]>) -> Result<()> {
        let path = self.data_directory().join(name);
        let written = fs::write(&path, content)
            .and_then(|()| fs::set_permissions(&path, fs::Permissions::from_mode(0o600)));
        written.with_context(|| format!("could not write {}", path.display()))?;
        self.account.own(&path)
    }

    pub(super) fn prepare(
        installation: &Installation,
        listen: Listen,
        medium: Medium,
    ) -> Result<Self> {
        let account = Account::for_servers()?;
        Ok(Self {
            postmaster: None,
            installation: installation.clone(),
            account,
            listen,
            environment: Vec::new(),
            port: 0,
            folder: PrivateFolder::create_on(medium, account)?,
        })
    }

    pub(super) fn append_settings(&self, text: &str) -> Result<()> {
        let known = fs::read_to_string(self.data_directory().join("postgresql.conf"))
            .context("could not read postgresql.conf")?;
        self.write_file("postgresql.conf", format!("{known}\n{text}"))
    }

    pub(super) fn start_on_a_free_port(&mut self) -> Result<()> {
        for _ in 1..TRIES {
            match self.start_on(free_port(self.listen)?) {
                Err(_) if self.port_was_taken() => (),
                answer => return answer,
            }
        }
        self.start_on(free_port(self.listen)?)
    }

    pub(super) fn start_again(&mut self) -> Result<()> {
        let mut postgres = self.command("postgres");
        postgres.envs(self.environment.iter().cloned());
        let started = Postmaster::start(postgres, &self.data_directory(), &self.log_file());
        let version = &self.installation.version;
        self.postmaster =
            Some(started.with_context(|| format!("could not start PostgreSQL {version}"))?);
        Ok(())
    }

    fn configure(&self, options: &ClusterOptions) -> Result<()> {
        let settings = options.settings_text();
        self.append_settings(&format!("include = '{ADDRESS_FILE}'\n{settings}"))?;
        self.write_file("pg_hba.conf", options.hba_file())?;
        options
            .files
            .iter()
            .try_for_each(|(name, content)| self.write_file(name, content))
    }

    fn start_on(&mut self, port: u16) -> Result<()> {
        self.port = port;
        self.write_file(
            ADDRESS_FILE,
            address_text(self.listen, port, self.socket_folder()),
        )?;
        self.start_again()
    }

    fn port_was_taken(&self) -> bool {
        let log = fs::read(self.log_file()).unwrap_or_default();
        String::from_utf8_lossy(&log).contains("Address already in use")
    }
}

/// A server that only has a Unix socket in its own folder shares its port with nobody.
fn free_port(listen: Listen) -> Result<u16> {
    match listen {
        Listen::Socket => Ok(5432),
        Listen::Loopback => TcpListener::bind(("127.0.0.1", 0))
            .and_then(|listener| listener.local_addr())
            .map(|address| address.port())
            .context("could not find a free port on 127.0.0.1"),
    }
}
