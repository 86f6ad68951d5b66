//! Nobody reads stderr, and it is full: a pager that was not scrolled, a log shipper that hangs. What has to be
//! said about the lease must not keep anybody from doing something about it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use super::{SHORT, ends, prepared, words};
use crate::harness::{Database, lockaudit, wait_for};

/// What a pipe holds, unless somebody asks for another size (pipe(7)).
const FULL: u64 = 65_536;

/// Fills stderr, and says who it is.
const TALKATIVE: &str = "sleep 600 >&- 2>&- & echo $!; yes >&2";

struct Unread {
    child: Child,
    grandchild: String,
}

impl Unread {
    fn starts(db: &Database<'_>) -> Self {
        let url = db.url();
        let mut child = Command::new(env!("CARGO_BIN_EXE_lockaudit"))
            .args(words(&url, &["--ttl", SHORT], TALKATIVE))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("lockaudit can be started");
        let mut grandchild = String::new();
        let stdout = child.stdout.take().expect("stdout is a pipe");
        BufReader::new(stdout)
            .read_line(&mut grandchild)
            .expect("a line");
        let stderr = child.stderr.as_ref().expect("stderr is a pipe");
        wait_for("a full pipe", || {
            rustix::io::ioctl_fionread(stderr).expect("a pipe says what it holds") == FULL
        });
        Self {
            child,
            grandchild: grandchild.trim().to_owned(),
        }
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("it runs");
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        // Its guardian ends what is left of the job, if a test fails.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_guardian_stops_the_job_though_nobody_reads_what_it_says() {
    for stopper in [Signal::STOP, Signal::KILL] {
        let db = prepared("unread_by_guardian");
        let run = Unread::starts(&db);
        run.signal(stopper);
        ends(&run.grandchild);
    }
}

#[test]
fn a_lost_lease_stops_the_job_though_nobody_reads_why() {
    let db = prepared("unread");
    let mut run = Unread::starts(&db);
    let words = ["lease", "break", "job", "-d", &db.url(), "--reason", "test"];
    lockaudit(&words).succeeds();
    ends(&run.grandchild);
    wait_for("the status of a lost lease", || {
        let ended = run.child.try_wait().expect("it is our child");
        ended.is_some_and(|status| status.code() == Some(76))
    });
}
