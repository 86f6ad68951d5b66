//! The question, on a terminal of its own, and Ctrl-C.

use std::io::{Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use super::lives;
use crate::harness::{Database, Server, Session, wait_for};

/// A run on a pseudo-terminal, by util-linux's `script`, that waits for an answer.
struct Asked {
    script: Child,
    output: ChildStdout,
    screen: Vec<u8>,
}

impl Asked {
    /// `None` where it does not ask, or there is no such `script`.
    #[track_caller]
    fn about(db: &Database<'_>, holder: &Session) -> Option<Self> {
        let lockaudit = env!("CARGO_BIN_EXE_lockaudit");
        let (url, pid) = (db.url(), holder.pid());
        let command = format!("{lockaudit} release '{url}' --pid {pid} --key 42");
        let mut script = Command::new("script")
            .args(["-q", "-e", "-c", &command, "/dev/null"])
            .env("TERM", "dumb")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let output = script.stdout.take().expect("stdout is a pipe");
        let mut asked = Self {
            script,
            output,
            screen: Vec::new(),
        };
        asked.reads_until("[y/N] ").then_some(asked)
    }

    /// Types this, and gives the status and the words on the screen.
    #[track_caller]
    fn answer(mut self, keys: &str) -> (Option<i32>, String) {
        let mut input = self.script.stdin.take().expect("stdin is a pipe");
        input.write_all(keys.as_bytes()).expect("it is read");
        let read = self.output.read_to_end(&mut self.screen);
        read.expect("a pipe can be read");
        let status = self.script.wait().expect("it is our child");
        let screen = String::from_utf8_lossy(&self.screen);
        let words: Vec<&str> = screen.split_whitespace().collect();
        (status.code(), words.join(" "))
    }

    fn reads_until(&mut self, part: &str) -> bool {
        let mut byte = [0];
        while !String::from_utf8_lossy(&self.screen).contains(part) {
            match self.output.read(&mut byte).expect("a pipe can be read") {
                0 => return false,
                _ => self.screen.push(byte[0]),
            }
        }
        true
    }
}

#[test]
fn yes_ends_it() {
    let db = Server::any().database("release");
    let holder = db.session("holder");
    holder.idle_with(42);
    let asked = Asked::about(&db, &holder).expect("it asks");
    let (status, screen) = asked.answer("y\n");
    assert_eq!(status, Some(0), "{screen}");
    assert!(screen.contains("nobody holds it now"), "{screen}");
    assert!(!lives(&holder));
}

#[test]
fn anything_else_leaves_it_alone() {
    let db = Server::any().database("release");
    let holder = db.session("holder");
    holder.idle_with(42);
    for keys in ["n\n", "\n", "\u{4}"] {
        let asked = Asked::about(&db, &holder).expect("it asks");
        let (status, screen) = asked.answer(keys);
        assert_eq!(status, Some(0), "{screen}");
        assert!(screen.contains("nothing done"), "{screen}");
        assert!(lives(&holder));
    }
}

#[test]
fn ctrl_c_leaves_it_alone_and_says_goodbye() {
    let db = Server::any().database("release");
    let holder = db.session("holder");
    holder.idle_with(42);
    let asked = Asked::about(&db, &holder).expect("it asks");
    let (status, screen) = asked.answer("\u{3}");
    assert_eq!(status, Some(130), "{screen}");
    assert!(screen.contains("interrupted; nothing was done"), "{screen}");
    assert!(lives(&holder));
    let ours = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'lockaudit' \
                AND datname = current_database()";
    let other = db.session("other");
    wait_for("the end of our session", || other.number(ours) == 0);
}

#[test]
fn what_changes_while_somebody_thinks_is_told_and_left_alone() {
    Server::each(|server| {
        let db = server.database("release");
        let holder = db.session("holder");
        holder.in_transaction_with(42);
        let asked = Asked::about(&db, &holder).expect("it asks");
        holder.runs("ROLLBACK");
        let (status, screen) = asked.answer("y\n");
        assert_eq!(status, Some(1), "{screen}");
        assert!(screen.contains("no longer holds the lock"), "{screen}");
        assert!(lives(&holder));
    });
}
