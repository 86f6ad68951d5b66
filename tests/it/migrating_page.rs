//! What docs/migrating.md shows was printed: the page is played from its beginning to its end on a real server.
//!
//! `LOCKAUDIT_WRITE_GENERATED=1 cargo test --test it migrating_page` prints it anew.

#![expect(
    clippy::disallowed_methods,
    reason = "one variable says that the page is to be written"
)]

use std::fs;
use std::path::Path;

use lockaudit::fleet::old_key;
use lockaudit::key::AdvisoryKey;
use regex::Regex;
use rustix::process::Signal;
use tempfile::TempDir;

use crate::harness::{
    Address, Lockaudit, Marks, Running, Server, Session, fast_options, installations, wait_for,
};

const PAGE: &str = "docs/migrating.md";
const NAME: &str = "nightly-report";
const COUNTS_CALLS: &str =
    "SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_stat_statements')";

/// The server, the operator's folder, and what was printed until now: each under the name that its block has.
struct Play {
    server: Server,
    folder: TempDir,
    printed: Vec<(&'static str, String)>,
}

impl Play {
    fn begins() -> Option<Self> {
        let found = installations().find(|installation| {
            let server = Server::of_major(installation.major);
            server.is_some_and(|server| server.admin().says(COUNTS_CALLS))
        });
        let options = fast_options().setting("shared_preload_libraries", "pg_stat_statements");
        let server = Server::private(found?, options);
        server.admin().runs("CREATE DATABASE app");
        let play = Self {
            server,
            folder: TempDir::new().expect("a folder can be made"),
            printed: Vec::new(),
        };
        play.session("dba")
            .runs("CREATE EXTENSION pg_stat_statements");
        Some(play)
    }

    fn session(&self, name: &str) -> Session {
        Session::open(&self.address(), name)
    }

    fn address(&self) -> Address {
        Address::of(self.server.cluster(), "app")
    }

    fn file(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// With the paths of files, which the page does not show.
    fn command(&self, line: &str) -> Lockaudit {
        let words: Vec<String> = shell_words(line)
            .into_iter()
            .map(|word| match word.ends_with(".toml") {
                true => self.file(&word),
                false => word,
            })
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Lockaudit::new(&words).env("LOCKAUDIT_DSN", &self.address().url())
    }

    /// Runs it, for the block of that name.
    fn prints(&mut self, block: &'static str, line: &str, status: i32) {
        let outcome = self.command(line).run().exits_with(status);
        let said = format!("{}{}", outcome.stdout, outcome.stderr);
        self.keeps(block, line, &said);
    }

    fn keeps(&mut self, block: &'static str, line: &str, said: &str) {
        let folder = format!("{}/", self.folder.path().display());
        let text = format!("$ lockaudit {line}\n{}", said.replace(&folder, ""));
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        self.printed.push((block, lines.join("\n")));
    }

    /// Runs it for what it does.
    fn does(&self, line: &str) {
        self.command(line).run().succeeds();
    }

    /// Looks again and again: each look is written down.
    fn is_ready_for(&self, mode: &str, period: &str) {
        let line = format!("migrate status --wait-for {mode} --period {period} --timeout 0s");
        wait_for(&format!("{NAME} to be ready for {mode}"), || {
            self.command(&line).run().status.success()
        });
    }
}

/// Words of the page's own lines: the only quotes are double.
fn shell_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in line.split('"').enumerate() {
        match at % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

#[test]
fn the_page_shows_what_each_step_prints() {
    let mut play = Play::begins().expect("a PostgreSQL here has pg_stat_statements");
    let AdvisoryKey::Single(key) = old_key(NAME) else {
        panic!("old code locks one number");
    };
    let map = format!("[[name]]\nname = \"{NAME}\"\nkey = \"{key}\"\n");
    fs::write(play.file("keys.toml"), map).expect("the file can be written");
    plans_and_applies(&mut play, key);
    bridges(&mut play, key);
    proves(&mut play, key);
    contracts_and_goes_back(&mut play);
    finishes(&mut play);
    compare(&play.printed);
}

fn plans_and_applies(play: &mut Play, key: i64) {
    let old = play.session("report-worker");
    old.idle_with(key);
    play.prints(
        "plan",
        "migrate plan --for 2s --every 200ms --map keys.toml -o migration.toml",
        0,
    );
    play.prints("apply", "migrate apply --file migration.toml", 0);
    old.disconnect();
}

fn bridges(play: &mut Play, key: i64) {
    play.prints("bridge", "migrate advance nightly-report", 0);
    let old = play.session("report-worker");
    old.idle_with(key);
    play.prints("shut", "migrate advance nightly-report --dry-run", 1);
    old.disconnect();
}

fn proves(play: &mut Play, key: i64) {
    let fence = play.command("migrate fence --every 50ms").start();
    fence.waits_until_it_says("all is held");
    let forgotten = play.session("report-worker");
    forgotten.waits_for(key);
    fence.waits_until_it_says("OLD WAITER");
    drop(forgotten);
    ends_waiters(play);
    fence.waits_until_it_says("is gone");
    play.is_ready_for("lease", "2s");
    let line = "migrate status --wait-for lease --period 2s";
    play.prints("prove", line, 0);
    play.prints("contract", "migrate advance nightly-report --period 2s", 0);
    ends(play, fence);
}

/// A session that waits does not hear that its program has gone.
fn ends_waiters(play: &Play) {
    play.server.admin().runs(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
    );
}

fn ends(play: &mut Play, fence: Running) {
    fence.signal(Signal::TERM);
    let outcome = fence.finish().exits_with(1);
    let said = format!("{}{}", outcome.stderr, outcome.stdout);
    play.keeps("fence", "migrate fence", &said);
}

fn contracts_and_goes_back(play: &mut Play) {
    play.prints("back-to-both", "migrate rollback nightly-report", 0);
    play.prints(
        "wait-for-both",
        "migrate status --wait-for both --timeout 10m",
        0,
    );
    play.prints("back-to-advisory", "migrate rollback nightly-report", 0);
    play.does("migrate advance nightly-report");
    play.prints(
        "force",
        "migrate advance nightly-report --force \"no old code since release 412; checked all clusters\"",
        0,
    );
}

fn finishes(play: &mut Play) {
    play.prints("too-early", "migrate finish --file migration.toml", 1);
    wait_for("a second in `lease`", || {
        let line = "migrate finish --dry-run --period 1s";
        play.command(line).run().status.success()
    });
    play.prints(
        "finish",
        "migrate finish --file migration.toml --period 1s",
        0,
    );
    play.prints("history", "lease history nightly-report", 0);
}

/// Where lines break depends on what is marked; how often it looked, on how busy the machine is.
fn marked(block: &str) -> String {
    let pattern = r"\b\d+ samples?\b|\b\d+/\d+\b|\bserver process \d+";
    let volatile = Regex::new(pattern).expect("a pattern");
    let words: Vec<&str> = block.split_whitespace().collect();
    let block = Marks::of(&words.join(" ")).to_string();
    volatile.replace_all(&block, "<volatile>").into_owned()
}

/// Each block stands on the page, once, as it was printed but for times, pids and the like.
fn compare(printed: &[(&str, String)]) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let mut page = fs::read_to_string(&file).expect("there is a page");
    let write = std::env::var_os("LOCKAUDIT_WRITE_GENERATED").is_some();
    for (block, text) in printed {
        let opening = format!("<!-- printed: {block} -->\n");
        assert_eq!(page.matches(&opening).count(), 1, "{block}");
        let start = page.find(&opening).expect("it is there") + opening.len();
        let length = page[start..].find("<!-- end -->").expect("the block ends");
        let shown = &page[start..start + length];
        let wanted = format!("```text\n{text}\n```\n");
        let is_same = marked(shown) == marked(&wanted);
        assert!(
            is_same || write,
            "the block `{block}` of {PAGE} is out of date: run `LOCKAUDIT_WRITE_GENERATED=1 cargo test \
             --test it migrating_page`\n--- page\n{shown}--- printed\n{wanted}"
        );
        if !is_same {
            page.replace_range(start..start + length, &wanted);
        }
    }
    assert_eq!(page.matches("<!-- printed: ").count(), printed.len());
    if write {
        fs::write(file, page).expect("the page can be written");
    }
}
