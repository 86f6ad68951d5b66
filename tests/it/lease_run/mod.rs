//! `lockaudit lease run` on real servers: the command's status, signals, and what becomes of it when the
//! lease, the server, lockaudit or its guardian goes.

mod guardian;
mod losses;
mod modes;
mod reached;
mod signals;
mod statuses;
mod terminal;
mod unread;

use std::process::Command;

use crate::harness::{
    Database, Lockaudit, Outcome, Running, Server, is_alive, lockaudit, wait_for,
};

/// Short enough for a test, long enough for a busy machine: renewed each second, stopped after 3.5 s without
/// a renewal, killed after 3.8 s.
const SHORT: &str = "4s";

fn prepared(name: &str) -> Database<'static> {
    prepared_on(Server::any(), name)
}

fn prepared_on<'a>(server: &'a Server, name: &str) -> Database<'a> {
    let db = server.database(name);
    lockaudit(&["lease", "init", "-d", &db.url()]).succeeds();
    db
}

/// `lease run job` with these options, of this script.
fn words<'a>(url: &'a str, options: &[&'a str], script: &'a str) -> Vec<&'a str> {
    let start = ["lease", "run", "job", "-d", url];
    let command = ["--", "sh", "-c", script];
    [&start, options, &command].concat()
}

#[track_caller]
fn runs(db: &Database<'_>, options: &[&str], script: &str) -> Outcome {
    lockaudit(&words(&db.url(), options, script))
}

#[track_caller]
fn starts(db: &Database<'_>, options: &[&str], script: &str) -> Running {
    Lockaudit::new(&words(&db.url(), options, script)).start()
}

#[track_caller]
fn nobody_has_it(db: &Database<'_>) {
    lockaudit(&["lease", "check", "job", "-d", &db.url()]).exits_with(1);
}

#[track_caller]
fn somebody_has_it(db: &Database<'_>) {
    lockaudit(&["lease", "check", "job", "-d", &db.url()]).succeeds();
}

#[track_caller]
fn ends(pid: &str) {
    wait_for(&format!("the end of process {pid}"), || !is_alive(pid));
}

/// Whatever runs as a child of this process.
fn children_of(pid: u32) -> Vec<String> {
    let output = Command::new("ps")
        .args(["-o", "pid=", "--ppid", &pid.to_string()])
        .output()
        .expect("there is a `ps`");
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    listed.split_whitespace().map(str::to_owned).collect()
}
