//! Owns runs of the real `lockaudit` binary, in an environment with nothing of ours in it.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::wait::{wait_for, wait_for_some};

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
            stdout: Collected::from(child.stdout.take()),
            stderr: Collected::from(child.stderr.take()),
            child,
            command_line: self.arguments.join(" "),
            _home: home,
        }
    }
}

/// A run that has begun. Dropped before its end, it is killed.
pub struct Running {
    child: Child,
    stdout: Collected,
    stderr: Collected,
    command_line: String,
    _home: TempDir,
}

impl Running {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns once it has said this on stdout.
    #[track_caller]
    pub fn waits_until_it_says(&self, part: &str) -> &Self {
        let what = format!("{part:?} on stdout of `lockaudit {}`", self.command_line);
        wait_for(&what, || self.stdout.so_far().contains(part));
        self
    }

    /// Returns once it has said this on stderr.
    #[track_caller]
    pub fn waits_until_it_complains(&self, part: &str) -> &Self {
        let what = format!("{part:?} on stderr of `lockaudit {}`", self.command_line);
        wait_for(&what, || self.stderr.so_far().contains(part));
        self
    }

    /// Returns once it has said a whole line that begins so, and gives the rest of it.
    #[track_caller]
    pub fn waits_for_the_line(&self, beginning: &str) -> String {
        let what = format!(
            "{beginning:?} on stdout of `lockaudit {}`",
            self.command_line
        );
        wait_for_some(&what, || {
            let said = self.stdout.so_far();
            let whole = said.rfind('\n').map_or("", |end| &said[..end]);
            let mut lines = whole.lines();
            lines.find_map(|line| line.strip_prefix(beginning).map(str::to_owned))
        })
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
            stdout: self.stdout.whole(),
            stderr: self.stderr.whole(),
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

/// What a pipe gives, read while the program runs: a full pipe would stop it.
struct Collected {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Collected {
    fn from(pipe: Option<impl Read + Send + 'static>) -> Self {
        let pipe = pipe.expect("the output is a pipe");
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let reader = thread::spawn({
            let bytes = Arc::clone(&bytes);
            move || read_into(&bytes, pipe)
        });
        Self {
            bytes,
            reader: Some(reader),
        }
    }

    fn so_far(&self) -> String {
        let bytes = self.bytes.lock().expect("the reader does not panic");
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn whole(&mut self) -> String {
        let reader = self.reader.take().expect("asked once, at the end");
        reader.join().expect("the reader ends with the pipe");
        let bytes = self.bytes.lock().expect("the reader has ended");
        String::from_utf8(bytes.clone()).expect("lockaudit writes UTF-8")
    }
}

fn read_into(bytes: &Mutex<Vec<u8>>, mut pipe: impl Read) {
    let mut chunk = [0; 4096];
    loop {
        match pipe.read(&mut chunk).expect("a pipe can be read") {
            0 => return,
            read => {
                let mut bytes = bytes.lock().expect("nobody panics with it");
                bytes.extend_from_slice(&chunk[..read]);
            }
        }
    }
}
