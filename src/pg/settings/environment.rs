//! What `resolve` may know of the machine, as a value: nothing in here reads the real one.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The world around the process.
pub struct Environment {
    pub variables: BTreeMap<String, String>,
    /// Names of variables whose value is not UTF-8.
    pub unreadable_variables: Vec<String>,
    /// Where a system-wide `pg_service.conf` may lie, unless `PGSYSCONFDIR` says so.
    pub service_directories: Vec<PathBuf>,
    /// Where a server's Unix socket may lie when no host is given, best first.
    pub socket_directories: Vec<PathBuf>,
    pub machine: Box<dyn Machine>,
}

/// Files and accounts, looked at only when they are needed.
pub trait Machine {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// What a path is, symbolic links followed.
    fn kind(&self, path: &Path) -> PathKind;
    /// The account the process runs as, if it can be told.
    fn account(&self) -> Option<Account>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    Missing,
    /// A plain file, with its permission bits.
    File {
        mode: u32,
    },
    Directory,
    /// A socket or a device.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub name: String,
    pub home: Option<PathBuf>,
}

impl Environment {
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// The variable, unless it is missing or empty.
    pub(super) fn filled(&self, name: &str) -> Option<&str> {
        self.variable(name).filter(|text| !text.is_empty())
    }

    /// `HOME`, else what the account says, as libpq does.
    pub(super) fn home(&self) -> Option<PathBuf> {
        match self.filled("HOME") {
            Some(home) => Some(PathBuf::from(home)),
            None => self.machine.account().and_then(|account| account.home),
        }
    }

    pub(super) fn exists(&self, path: &Path) -> bool {
        self.machine.kind(path) != PathKind::Missing
    }
}

/// Names only: values may be passwords.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment")
            .field("variables", &self.variables.keys())
            .field("service_directories", &self.service_directories)
            .field("socket_directories", &self.socket_directories)
            .finish_non_exhaustive()
    }
}
