//! A process group: signals to all of it, and whether anything of it still runs.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

/// The processes that a job consists of. One that leaves its group (`setsid`) is out of reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group(Pid);

impl Group {
    pub fn of(leader: Pid) -> Self {
        Self(leader)
    }

    pub fn leader(self) -> Pid {
        self.0
    }

    /// A group without processes is no failure: it has ended meanwhile. Nor is one whose processes all run
    /// as somebody else; it shows by not ending.
    pub fn signal(self, signal: Signal) {
        let _ = kill_process_group(self.0, signal);
    }

    /// Asks it to end; what is stopped could not heed that.
    pub fn terminate(self) {
        self.signal(Signal::TERM);
        self.signal(Signal::CONT);
    }

    pub fn kill(self) {
        self.signal(Signal::KILL);
    }

    /// Whether nothing of it runs: what is dead and not yet reaped does not.
    pub fn is_empty(self) -> bool {
        match test_kill_process_group(self.0) {
            Err(Errno::SRCH) => true,
            Ok(()) => matches!(self.members(), Members::DeadOnly),
            Err(_) => false,
        }
    }

    /// From `/proc`, where there is one. Its processes may be hidden there.
    fn members(self) -> Members {
        let Ok(processes) = std::fs::read_dir("/proc") else {
            return Members::Unknown;
        };
        let states = processes.filter_map(|process| {
            let stat = std::fs::read_to_string(process.ok()?.path().join("stat")).ok()?;
            state_in_group(&stat, self.0)
        });
        states.fold(Members::Unknown, |members, state| match (members, state) {
            (Members::Alive, _) => Members::Alive,
            (_, 'Z' | 'X') => Members::DeadOnly,
            _ => Members::Alive,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Members {
    Unknown,
    DeadOnly,
    Alive,
}

/// The state in a line of `/proc/PID/stat`, if it is of this group. The name in brackets may hold anything,
/// brackets too (proc(5)).
fn state_in_group(stat: &str, group: Pid) -> Option<char> {
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    let state = fields.next()?.chars().next()?;
    let in_group = fields.nth(1)?.parse() == Ok(group.as_raw_nonzero().get());
    in_group.then_some(state)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_line_of_proc_is_read_whatever_the_process_is_called() {
        let group = Pid::from_raw(70).unwrap();
        let line = "71 (a) S 1 9 (b)) R 1 70 70 0 -1 4194304";
        assert_eq!(state_in_group(line, group), Some('R'));
        assert_eq!(state_in_group("71 (sh) Z 1 70 70 0", group), Some('Z'));
        assert_eq!(state_in_group("71 (sh) S 70 71 70 0", group), None);
        assert_eq!(state_in_group("", group), None);
    }

    #[test]
    fn a_group_whose_last_process_is_dead_and_not_reaped_is_empty() {
        let mut child = Command::new("cat")
            .process_group(0)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let group = Group::of(Pid::from_child(&child));
        assert!(!group.is_empty());
        group.kill();
        let started = crate::boot_clock::now();
        while !group.is_empty() {
            assert!(crate::boot_clock::now() - started < std::time::Duration::from_secs(20));
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(group.is_empty());
    }
}
