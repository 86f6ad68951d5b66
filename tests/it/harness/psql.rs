//! Owns clients that are programs of their own: they can be killed or frozen, which leaves the server
//! without a goodbye.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use super::address::Address;
use super::server::installations;
use super::session::Session;

/// A psql that runs what it is told. Dropped, it is killed.
pub struct Psql {
    process: Child,
    session: Session,
    /// Open and not read any more: what is too much for the pipe makes psql wait.
    answers: BufReader<ChildStdout>,
}

impl Psql {
    #[track_caller]
    pub fn open(address: &Address, application_name: &str) -> Self {
        let mut client = Self::queued(address, application_name);
        let mut pid = String::new();
        let read = client.answers.read_line(&mut pid);
        read.expect("psql writes text");
        let pid = pid.trim().parse().expect("psql is let in, and has a pid");
        client.session = Session::elsewhere(address, application_name, pid);
        client
    }

    /// One that asks for its pid, and may have to wait in a pooler for the answer: nobody waits for it
    /// here.
    #[track_caller]
    pub fn queued(address: &Address, application_name: &str) -> Self {
        let program = installations()
            .find(|found| found.has_clients())
            .map(|found| found.program("psql"))
            .expect("`make test` gets a PostgreSQL with its clients");
        let mut process = Command::new(program)
            .args(["-X", "-q", "-A", "-t", &address.url()])
            .env_clear()
            .env("PGAPPNAME", application_name)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("psql can be started");
        send(&mut process, "SELECT pg_backend_pid();");
        let answers = BufReader::new(process.stdout.take().expect("stdout is a pipe"));
        Self {
            process,
            session: Session::elsewhere(address, application_name, 0),
            answers,
        }
    }

    /// Its session, as the server sees it.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Sends statements, which end with a semicolon, without waiting for their end.
    pub fn starts(&mut self, sql: &str) -> &mut Self {
        send(&mut self.process, sql);
        self
    }

    /// Stops the process: its connection stays, and nobody answers.
    pub fn freeze(&self) {
        kill_process(Pid::from_child(&self.process), Signal::STOP).expect("psql runs");
    }

    /// SIGKILL: what is left of its session, if anything is.
    pub fn is_killed(&mut self) -> &Session {
        self.process.kill().expect("psql runs");
        self.process.wait().expect("psql is our child");
        &self.session
    }
}

impl Drop for Psql {
    fn drop(&mut self) {
        // A test may have killed it.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn send(process: &mut Child, sql: &str) {
    let stdin = process.stdin.as_mut().expect("stdin is a pipe");
    writeln!(stdin, "{sql}").expect("psql reads");
}
