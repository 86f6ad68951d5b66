//! Owns what tests ask the system about processes.

use std::fs;
use std::path::Path;
use std::process::Command;

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
