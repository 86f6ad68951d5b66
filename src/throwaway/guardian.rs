//! Owns the end of a private folder: a small `sh` that cleans up when we cannot.
//!
//! It holds one end of a pipe and we the other, so that it learns of our death however we die. It
//! runs in its own process group: Ctrl-C reaches us and not it.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

const SCRIPT: &str = include_str!("guardian.sh");

/// Watches over one folder. When it is dropped, or we are killed, the servers that run from the
/// folder (by `data/postmaster.pid` and `*.pid`) are stopped and the folder is removed.
#[derive(Debug)]
pub struct Guardian {
    shell: Child,
}

impl Guardian {
    pub fn of(folder: &Path) -> Result<Self> {
        let shell = Command::new("sh")
            .args(["-c", SCRIPT, "guardian"])
            .arg(folder)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .context("could not start `sh`, which cleans up after a throwaway server")?;
        Ok(Self { shell })
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        // A guardian that is gone has nothing left to say; the folder's owner looks for itself.
        let _ = self.shell.wait();
    }
}
