//! Owns runs of the real `lockaudit` binary, in an environment with nothing of ours in it.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::wait::wait_for_some;

/// Runs `lockaudit` to its end.
#[track_caller]
pub fn lockaudit(arguments: &[&str]) -> Outcome {
    Lockaudit::new(arguments).run()
}

/// A run to come.
pub struct Lockaudit {
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    input: Vec<u8>,
}

impl Lockaudit {
    pub fn new(arguments: &[&str]) -> Self {
        Self {
            arguments: arguments
                .iter()
                .map(|&argument| argument.to_owned())
                .collect(),
            environment: Vec::new(),
            input: Vec::new(),
        }
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// What it reads on stdin; without this, nothing.
    pub fn stdin(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    #[track_caller]
    pub fn run(self) -> Outcome {
        self.start().finish()
    }

    /// Starts it, for a test that interrupts it or looks at it while it runs.
    #[track_caller]
    pub fn start(self) -> Running {
        let home = TempDir::new().expect("a home can be made");
        let mut child = Command::new(env!("CARGO_BIN_EXE_lockaudit"))
            .args(&self.arguments)
            .env_clear()
            .env("HOME", home.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .envs(self.environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("lockaudit can be started");
        feed(&mut child, self.input);
        Running {
            stdout: Some(collect(child.stdout.take())),
            stderr: Some(collect(child.stderr.take())),
            child,
            command_line: self.arguments.join(" "),
            _home: home,
        }
    }
}

/// A run that has begun. Dropped before its end, it is killed.
pub struct Running {
    child: Child,
    stdout: Option<JoinHandle<String>>,
    stderr: Option<JoinHandle<String>>,
    command_line: String,
    _home: TempDir,
}

impl Running {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What Ctrl-C does.
    pub fn interrupt(&self) {
        self.signal(Signal::INT);
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("lockaudit runs");
    }

    /// Waits for its end.
    #[track_caller]
    pub fn finish(mut self) -> Outcome {
        let what = format!("the end of `lockaudit {}`", self.command_line);
        let status = wait_for_some(&what, || {
            self.child.try_wait().expect("lockaudit is our child")
        });
        Outcome {
            status,
            stdout: text_of(self.stdout.take()),
            stderr: text_of(self.stderr.take()),
            command_line: self.command_line.clone(),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended already unless a test fails.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a run said and how it ended.
#[derive(Debug)]
pub struct Outcome {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
    command_line: String,
}

impl Outcome {
    #[track_caller]
    pub fn succeeds(self) -> Self {
        self.exits_with(0)
    }

    #[track_caller]
    pub fn exits_with(self, code: i32) -> Self {
        assert_eq!(self.status.code(), Some(code), "the status, of {self}");
        self
    }

    /// On stdout.
    #[track_caller]
    pub fn says(self, part: &str) -> Self {
        assert!(
            self.stdout.contains(part),
            "expected {part:?} on stdout of {self}"
        );
        self
    }

    /// On stdout.
    #[track_caller]
    pub fn keeps_quiet_about(self, part: &str) -> Self {
        assert!(
            !self.stdout.contains(part),
            "expected no {part:?} on stdout of {self}"
        );
        self
    }

    /// On stderr.
    #[track_caller]
    pub fn complains(self, part: &str) -> Self {
        assert!(
            self.stderr.contains(part),
            "expected {part:?} on stderr of {self}"
        );
        self
    }

    #[track_caller]
    pub fn without_complaint(self) -> Self {
        assert_eq!(self.stderr, "", "expected nothing on stderr of {self}");
        self
    }

    /// Stdout as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in {self}"))
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            status,
            stdout,
            stderr,
            command_line,
        } = self;
        write!(
            formatter,
            "`lockaudit {command_line}` ({status})\n--- stdout\n{stdout}\n--- stderr\n{stderr}"
        )
    }
}

fn feed(child: &mut Child, input: Vec<u8>) {
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    // A program that does not read all of it closes the pipe: no concern of the test.
    thread::spawn(move || stdin.write_all(&input));
}

/// Reads while it runs: a full pipe would stop it.
fn collect(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    let mut pipe = pipe.expect("the output is a pipe");
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe can be read");
        String::from_utf8(bytes).expect("lockaudit writes UTF-8")
    })
}

fn text_of(reader: Option<JoinHandle<String>>) -> String {
    let reader = reader.expect("read once, at the end");
    reader.join().expect("the reader ends with the pipe")
}
