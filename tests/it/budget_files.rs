//! `lockaudit budget` with a file: locks and their pools, mistakes and their places, and the page that
//! explains the format.

use std::fs;

use tempfile::TempDir;

use crate::harness::{Lockaudit, Outcome, lockaudit};

/// A folder with a `budget.toml` of this text.
struct Project {
    folder: TempDir,
}

impl Project {
    fn with(text: &str) -> Self {
        let folder = TempDir::new().expect("a folder can be made");
        fs::write(folder.path().join("budget.toml"), text).expect("it can be written");
        Self { folder }
    }

    fn file(&self) -> String {
        self.folder.path().join("budget.toml").display().to_string()
    }

    #[track_caller]
    fn budget(&self, command: &str, more: &[&str]) -> Outcome {
        lockaudit(&[&["budget", command, &self.file()], more].concat())
    }

    /// What it says, with the file's own path as a fixed mark.
    fn marked(&self, text: &str) -> String {
        text.replace(&self.file(), "<file>")
    }
}

/// One role whose locks starve its own pool, on a server that has room for it.
const STARVED: &str = "\
version = 1
[server]
max_connections = 100

[[role]]
name = \"jobs\"
nodes = 2
pool = 4

  [[role.lock]]
  name = \"account-sync\"
  concurrency = 4
  hold = \"3s\"
";

#[test]
fn a_file_that_was_begun_with_init_fits_and_is_not_overwritten() {
    let folder = TempDir::new().expect("a folder can be made");
    let file = folder.path().join("budget.toml").display().to_string();
    lockaudit(&["budget", "init", &file])
        .succeeds()
        .complains("is written");
    lockaudit(&["budget", "check", &file])
        .succeeds()
        .without_complaint();
    lockaudit(&["budget", "init", &file])
        .exits_with(2)
        .complains("exists and is left alone");
    let written = fs::read_to_string(&file).expect("it is there");
    assert_eq!(
        lockaudit(&["budget", "init", "-"]).succeeds().stdout,
        written
    );
}

#[test]
fn a_pool_that_can_starve_itself_is_an_error_at_its_line() {
    let project = Project::with(STARVED);
    let outcome = project
        .budget("check", &[])
        .exits_with(1)
        .without_complaint();
    assert_eq!(
        project.marked(&outcome.stdout),
        "\
ERROR  16 of 100 connections at the peak: 97 are usable (3 are kept for
       superusers), 81 stay free; 8 without a deploy

WHO   INSTANCES               EACH  STEADY  DEPLOY
jobs  2 nodes, 4 in a deploy     4       8      16
all                                      8      16

error B200  <file>:10
   role `jobs` can deadlock on its own pool: 4 holders of `account-sync` each
   keep 1 connection and wait for 1 more, and the pool has 4
   - all of it can be in the hands of holders that wait for more; PostgreSQL
     can't see such a deadlock, since the waiting happens in the application
   - a pool of 5 is enough
   - or hold 3 locks at once at most (concurrency = 3)
   - or do the work on the lock's own connection (needs = 0), or give the locks
     a pool of their own (own_pool)
"
    );
    project
        .budget("fit", &["--of", "jobs"])
        .succeeds()
        .says("largest pool of `jobs`: 24");
}

#[test]
fn what_is_left_and_how_often_is_a_note() {
    let project = Project::with(
        &STARVED
            .replace("pool = 4", "pool = 50")
            .replace("concurrency = 4", "concurrency = 40\n  needs = 0"),
    );
    project.budget("check", &["--exit-zero"]).says(
        "\
note  role `jobs`: 40 of 50 connections may be pinned by locks, 10 left for
      everything else; at 3s a hold `account-sync` is done 13.3 times a second
      at most
",
    );
}

#[test]
fn waiting_is_a_note_until_the_plan_sets_a_limit() {
    let lines = |more: &str| {
        STARVED
            .replace("max_connections = 100", "max_connections = 1000")
            .replace("pool = 4", "pool = 50")
            .replace("hold = \"3s\"", more)
    };
    let slow = "hold = \"20ms\"\n  rate = \"150/s\"";
    let project = Project::with(&lines(slow));
    project
        .budget("check", &["--strict"])
        .succeeds()
        .says("of 4 holders 3.0 are busy on average;")
        .says("50.9 % have to wait, 10 ms on average (constant holds: 5 ms)")
        .says("most 79 ms");
    let limited = lines(&format!("{slow}\n  max_wait = \"50ms\""));
    Project::with(&limited)
        .budget("check", &[])
        .exits_with(1)
        .says("error B203")
        .says("1 of 100 waits 79 ms or longer,");
    let swamped = lines(slow).replace("150/s", "200/s");
    Project::with(&swamped)
        .budget("check", &[])
        .says("warning B202")
        .says("the queue grows for ever");
}

#[test]
fn a_session_lock_through_a_transaction_pooler_is_an_error() {
    let pooled = STARVED.replace("pool = 4", "pool = 8\nvia = \"main\"")
        + "  scope = \"session\"\n\n[[pgbouncer]]\nname = \"main\"\npool_mode = \"transaction\"\n";
    Project::with(&pooled)
        .budget("check", &[])
        .exits_with(1)
        .says("error B121")
        .says("jobs via main")
        .says("(32)");
    let in_session_mode = pooled.replace("\"transaction\"", "\"session\"");
    Project::with(&in_session_mode)
        .budget("check", &[])
        .succeeds();
}

#[test]
fn a_bad_file_says_where_and_what_to_write_and_gives_no_verdict() {
    let project = Project::with(&STARVED.replace("pool = 4", "pol = \"unlimited\""));
    let outcome = project.budget("check", &[]).exits_with(2).tame();
    assert_eq!(outcome.stdout, "");
    assert_eq!(
        project.marked(&outcome.stderr),
        "\
error: could not use <file>
<file>:5:1: [[role]] \"jobs\": `pool` is missing
  5 | [[role]]
    | ^^^^^^^^
  write the most connections that one process's pool may open: pool = 10

<file>:8:1: unknown key `pol` in [[role]] \"jobs\"
  8 | pol = \"unlimited\"
    | ^^^
  write `pool`
"
    );
    lockaudit(&["budget", "check", "nowhere.toml"])
        .exits_with(2)
        .complains("could not read nowhere.toml");
}

#[test]
fn the_step_summary_is_added_to_where_github_asks_for_one() {
    let project = Project::with(STARVED);
    let summary = project.folder.path().join("summary.md");
    fs::write(&summary, "before\n").expect("it can be written");
    Lockaudit::new(&["budget", "check", &project.file(), "--format", "github"])
        .env("GITHUB_STEP_SUMMARY", &summary.display().to_string())
        .run()
        .exits_with(1);
    let text = fs::read_to_string(&summary).expect("it is there");
    assert!(
        text.starts_with("before\n### Connection budget: it fails\n"),
        "{text}"
    );
    assert!(
        text.contains("| jobs | 2 nodes, 4 in a deploy | 4 | 8 | 16 |"),
        "{text}"
    );
}

#[test]
fn the_page_explains_every_code_with_its_level() {
    let page = fs::read_to_string("docs/budget.md").expect("there is a page");
    for code in lockaudit::budget::Code::ALL {
        let row = format!("| {} | {} | ", code.as_str(), code.level().as_str());
        assert!(page.contains(&row), "the page lacks {row}");
    }
}

/// Every key of the template, and so of the file, is on the page.
#[test]
fn the_page_explains_every_key() {
    let page = fs::read_to_string("docs/budget.md").expect("there is a page");
    let template = lockaudit::budget_file::TEMPLATE.lines();
    let keys = template.filter_map(|line| {
        let line = line.trim_start().trim_start_matches('#');
        line.split_once(" = ").map(|(key, _)| key)
    });
    for key in keys.filter(|key| !key.contains(' ') && *key != "version") {
        assert!(page.contains(&format!("`{key}`")), "the page lacks {key}");
    }
}

#[test]
fn what_does_not_add_up_is_told_with_its_place() {
    let huge = STARVED.replace(
        "nodes = 2\npool = 4",
        "nodes = 4294967295\nprocesses = 4294967295\npool = 4294967295",
    );
    let project = Project::with(&huge);
    for command in ["check", "fit", "show"] {
        let outcome = project.budget(command, &[]).exits_with(2);
        assert_eq!(outcome.stdout, "");
        assert_eq!(
            project.marked(&outcome.stderr),
            "\
error: could not add up <file>, line 5, column 1
  the connections of role `jobs` are out of range: the numbers multiply to more than 64 bits hold
"
        );
    }
}
