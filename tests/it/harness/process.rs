//! Owns what tests ask the system about processes.

use std::fs;
use std::path::Path;
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};

/// Whether a process runs. The dead whose parent has not asked for them are still listed: without
/// a command line, as zombies.
pub fn is_alive(pid: &str) -> bool {
    if Path::new("/proc/self/cmdline").exists() {
        return fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| !line.is_empty());
    }
    let state = Command::new("ps")
        .args(["-o", "stat=", "-p", pid])
        .output()
        .expect("there is a `ps`");
    let state = String::from_utf8_lossy(&state.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

/// A process that stands still; it goes on when this is dropped.
pub struct Stopped(Pid);

impl Stopped {
    #[track_caller]
    pub fn process(pid: i32) -> Self {
        Self::if_it_runs(pid).expect("the process runs and is ours")
    }

    pub fn if_it_runs(pid: i32) -> Option<Self> {
        let pid = Pid::from_raw(pid)?;
        kill_process(pid, Signal::STOP).ok().map(|()| Self(pid))
    }

    pub fn goes_on(self) {}
}

impl Drop for Stopped {
    fn drop(&mut self) {
        // It may have been ended meanwhile.
        let _ = kill_process(self.0, Signal::CONT);
    }
}
