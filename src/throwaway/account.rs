//! Owns the question as whom a server runs: `postgres` refuses to run as root.

use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

/// The operating system's user that owns a server's processes and files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Account {
    uid: u32,
    gid: u32,
    change: Change,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    FromRoot,
    None,
}

impl Account {
    /// Ourselves; for root, `postgres` where there is one, or else `nobody`.
    pub fn for_servers() -> Result<Self> {
        if !rustix::process::geteuid().is_root() {
            return Ok(Self::ourselves());
        }
        ["postgres", "nobody"].into_iter().find_map(named).context(
            "could not find an account to run a server as: neither `postgres` nor `nobody` exists",
        )
    }

    pub(super) fn ourselves() -> Self {
        Self {
            uid: rustix::process::geteuid().as_raw(),
            gid: rustix::process::getegid().as_raw(),
            change: Change::None,
        }
    }

    pub fn uid(&self) -> u32 {
        self.uid
    }

    /// A command that runs as this account, knows nothing of our environment but `PATH`, and
    /// speaks English.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("LC_ALL", "C").current_dir("/");
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        if self.change == Change::FromRoot {
            command.uid(self.uid).gid(self.gid);
        }
        command
    }

    /// Gives `path` to this account.
    pub fn own(&self, path: &Path) -> Result<()> {
        if self.change == Change::None {
            return Ok(());
        }
        chown(path, Some(self.uid), Some(self.gid))
            .with_context(|| format!("could not give {} to the server's account", path.display()))
    }
}

/// Asks `id`, because only it knows every place where the system keeps its accounts.
fn named(name: &str) -> Option<Account> {
    let number = |option: &str| {
        let output = Command::new("id").args([option, name]).output().ok()?;
        String::from_utf8(output.stdout).ok()?.trim().parse().ok()
    };
    Some(Account {
        uid: number("-u")?,
        gid: number("-g")?,
        change: Change::FromRoot,
    })
}
