//! On a terminal: what is typed reaches the command, as it would without lockaudit.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use super::{nobody_has_it, prepared, somebody_has_it};
use crate::harness::{Database, wait_for, wait_for_some};

/// A program on a pseudo-terminal of its own, by util-linux's `script`.
struct Typed {
    script: Child,
    keys: ChildStdin,
    screen: Arc<Mutex<Vec<u8>>>,
}

impl Typed {
    fn start(command: &str) -> Self {
        let mut script = Command::new("script")
            .args(["-q", "-e", "-c", command, "/dev/null"])
            .env("TERM", "dumb")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("there is a `script`");
        let keys = script.stdin.take().expect("stdin is a pipe");
        let mut output = script.stdout.take().expect("stdout is a pipe");
        let screen = Arc::new(Mutex::new(Vec::new()));
        let written = Arc::clone(&screen);
        thread::spawn(move || {
            let mut byte = [0];
            while output.read(&mut byte).is_ok_and(|many| many > 0) {
                written.lock().expect("nobody panics with it").push(byte[0]);
            }
        });
        Self {
            script,
            keys,
            screen,
        }
    }

    fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("it is read");
        self.keys.flush().expect("it is read");
    }

    fn screen(&self) -> String {
        let screen = self.screen.lock().expect("nobody panics with it");
        String::from_utf8_lossy(&screen).into_owned()
    }

    #[track_caller]
    fn shows(&self, part: &str) {
        let mut last = String::new();
        let seen = || {
            last = self.screen();
            last.contains(part)
        };
        wait_for(&format!("{part:?} on the terminal"), seen);
    }

    #[track_caller]
    fn ends(mut self) -> (Option<i32>, String) {
        let status = wait_for_some("the end of the session", || {
            self.script.try_wait().expect("our child")
        });
        (status.code(), self.screen())
    }
}

impl Drop for Typed {
    fn drop(&mut self) {
        let _ = self.script.kill();
        let _ = self.script.wait();
    }
}

fn lease_run(db: &Database<'_>, script: &str) -> String {
    let lockaudit = env!("CARGO_BIN_EXE_lockaudit");
    format!(
        "{lockaudit} lease run job -d '{}' -- sh -c '{script}'",
        db.url()
    )
}

#[test]
fn a_command_reads_from_the_terminal() {
    let db = prepared("reads");
    let mut typed = Typed::start(&lease_run(&db, "echo ask; read -r line; echo told $line"));
    typed.shows("ask");
    typed.types("hello\n");
    typed.shows("told hello");
    let (status, screen) = typed.ends();
    assert_eq!(status, Some(0), "{screen}");
    nobody_has_it(&db);
}

#[test]
fn ctrl_c_is_the_command_s_to_heed() {
    let db = prepared("interrupted");
    let script = "trap \"echo caught; exit 9\" INT; echo begun; while :; do sleep 0.01; done";
    let mut typed = Typed::start(&lease_run(&db, script));
    typed.shows("begun");
    typed.types("\u{3}");
    let (status, screen) = typed.ends();
    assert_eq!(status, Some(9), "{screen}");
    assert_eq!(screen.matches("caught").count(), 1, "{screen}");
    nobody_has_it(&db);
}

/// A shell with job control, as a person has.
fn shell() -> Typed {
    let mut typed = Typed::start("bash --norc --noprofile -i");
    typed.types("PS1='ready> '; set -o notify\n");
    typed.shows("ready> ");
    typed
}

#[test]
fn ctrl_z_and_fg_work_as_in_any_shell() {
    let db = prepared("suspended");
    let mut typed = shell();
    let script = "echo begun; while read -r line; do echo told $line; done";
    typed.types(&format!("{}\n", lease_run(&db, script)));
    typed.shows("begun\r\n");
    typed.types("\u{1a}");
    typed.shows("Stopped");
    typed.types("echo the shell is $((40 + 2))\n");
    typed.shows("the shell is 42");
    somebody_has_it(&db);
    typed.types("fg\n");
    typed.types("hello\n");
    typed.shows("told hello");
    typed.types("\u{4}");
    typed.types("echo the status is $?\n");
    typed.shows("the status is 0");
    nobody_has_it(&db);
    typed.types("exit 0\n");
    typed.ends();
}

#[test]
fn a_background_command_that_wants_the_terminal_waits_for_fg() {
    let db = prepared("background");
    let mut typed = shell();
    let script = "echo begun; read -r line; echo told $line";
    typed.types(&format!("{} &\n", lease_run(&db, script)));
    typed.shows("begun\r\n");
    typed.shows("Stopped");
    somebody_has_it(&db);
    typed.types("fg\n");
    typed.types("hello\n");
    typed.shows("told hello");
    typed.types("exit 0\n");
    typed.ends();
    nobody_has_it(&db);
}

#[test]
fn in_a_pipeline_the_terminal_stays_with_the_others_and_ctrl_c_reaches_all() {
    let db = prepared("pipeline");
    let mut typed = shell();
    let script = "trap \"exit 9\" INT; echo begun; while :; do sleep 0.01; done";
    typed.types(&format!("{} | sed s/^/seen:/\n", lease_run(&db, script)));
    typed.shows("seen:begun");
    typed.types("\u{3}");
    typed.types("echo the status is ${PIPESTATUS[0]}\n");
    typed.shows("the status is 9");
    typed.types("exit 0\n");
    typed.ends();
    nobody_has_it(&db);
}

#[test]
fn the_terminal_is_the_shell_s_again_after_the_command_was_killed() {
    let db = prepared("given_back");
    let mut typed = shell();
    typed.types(&format!(
        "{}\n",
        lease_run(&db, "stty -echo; echo begun; kill -KILL $$")
    ));
    typed.shows("begun\r\n");
    typed.types("echo the status is $?\n");
    typed.shows("the status is 137");
    assert!(
        typed.screen().contains("echo the status"),
        "the echo is on again"
    );
    typed.types("exit 0\n");
    typed.ends();
}
