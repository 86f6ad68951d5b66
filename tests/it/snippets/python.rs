//! The Python snippet, run: psycopg is a package of Debian's, for the python3 of Debian's.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use lockaudit::snippet::{Language, snippet};
use tempfile::TempDir;

use super::{make_tables, subject};
use crate::harness::{Database, Server, missing, wait_for};

/// What it prints: whether it got the lease, `works` once it has it, then how it ended.
const WORK: &str = r#"
import sys
def work(lease):
    print("works", flush=True)
    while sys.argv[2] == "on":
        lease.check()
        time.sleep(0.01)
    with psycopg.connect(sys.argv[1]) as transaction:
        lease.fence(transaction)
try:
    print("ran" if after(sys.argv[1], work) else "refused", flush=True)
except LeaseLost:
    print("lost", flush=True)
"#;

struct Python {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
    _folder: TempDir,
}

/// A python3 that has psycopg 3.
fn interpreter() -> Option<&'static str> {
    let has = |program: &&str| {
        let asked = Command::new(program)
            .args(["-c", "import psycopg"])
            .stderr(Stdio::null())
            .status();
        asked.is_ok_and(|status| status.success())
    };
    let found = ["python3", "/usr/bin/python3"].into_iter().find(has);
    if found.is_none() {
        missing("psycopg", "LOCKAUDIT_REQUIRE_PSYCOPG");
    }
    found
}

impl Python {
    fn starts(interpreter: &str, db: &Database<'_>, how: &str) -> Self {
        let folder = TempDir::new().expect("a folder can be made");
        let file = folder.path().join("lease.py");
        let code = snippet(Language::Python, &subject()) + WORK;
        fs::write(&file, code).expect("it can be written");
        let mut child = Command::new(interpreter)
            .arg(&file)
            .args([&db.url(), how])
            .stdout(Stdio::piped())
            .spawn()
            .expect("python can be started");
        let lines = BufReader::new(child.stdout.take().expect("stdout is a pipe")).lines();
        Self {
            child,
            lines,
            _folder: folder,
        }
    }

    #[track_caller]
    fn says(&mut self, wanted: &str) {
        let line = self.lines.next().expect("it says something");
        assert_eq!(line.expect("it writes text"), wanted);
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        // It has usually ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn one_works_and_the_next_one_does_afterwards() {
    let Some(python) = interpreter() else { return };
    let db = Server::any().database("snippet_python");
    make_tables(&db);
    for _ in 0..2 {
        let mut worker = Python::starts(python, &db, "once");
        worker.says("works");
        worker.says("ran");
    }
    let free = "SELECT holder IS NULL AND token > 0 FROM lockaudit_lease";
    assert!(db.session("reader").says(free));
}

#[test]
fn a_second_is_refused_and_the_first_survives_a_cut_and_stops_when_it_is_broken() {
    let Some(python) = interpreter() else { return };
    let db = Server::any().database("snippet_python_lost");
    make_tables(&db);
    let admin = db.session("admin");
    let mut worker = Python::starts(python, &db, "on");
    worker.says("works");
    Python::starts(python, &db, "on").says("refused");
    let before = "CREATE TABLE seen AS SELECT token, expires_at FROM lockaudit_lease";
    admin.runs(before).runs(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
         WHERE datname = current_database() AND application_name = '' AND backend_type = 'client backend'",
    );
    wait_for("a renewal over a new connection", || {
        admin.says(
            "SELECT l.expires_at > s.expires_at + '2 s'::interval AND l.token = s.token \
             FROM lockaudit_lease AS l, seen AS s",
        )
    });
    admin.runs(
        "UPDATE lockaudit_lease SET holder = NULL, token = token + 1, expires_at = '-infinity'",
    );
    worker.says("lost");
}

#[test]
fn in_mode_both_the_end_of_the_keys_session_is_the_end_of_the_lease() {
    let Some(python) = interpreter() else { return };
    let db = Server::any().database("snippet_python_both");
    make_tables(&db);
    let admin = db.session("admin");
    admin.runs("INSERT INTO lockaudit_lease (name, mode, key) VALUES ('sweep', 'both', 42)");
    let mut worker = Python::starts(python, &db, "on");
    worker.says("works");
    assert!(admin.says("SELECT bridged AND NOT pg_try_advisory_lock(42) FROM lockaudit_lease"));
    admin.runs(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
         WHERE datname = current_database() AND application_name = '' AND backend_type = 'client backend'",
    );
    worker.says("lost");
}
