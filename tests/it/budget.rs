//! `lockaudit budget`: the sum, the verdict, what would fit, and what is wrong with a file.

use std::fs;

use tempfile::TempDir;

use crate::harness::{Lockaudit, Outcome, lockaudit};

/// Three roles of two nodes with this pool, every instance twice during a deploy, of 120.
fn three_roles(command: &str, pool: u64, more: &[&str]) -> Outcome {
    let roles: Vec<String> = ["api", "jobs", "web"]
        .iter()
        .map(|name| format!("{name}:nodes=2,pool={pool}"))
        .collect();
    let mut arguments = vec![
        "budget",
        command,
        "--max-connections",
        "120",
        "--overlap",
        "2",
    ];
    for role in &roles {
        arguments.extend(["--role", role]);
    }
    arguments.extend(more);
    lockaudit(&arguments)
}

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
fn the_sum_of_three_roles_fits() {
    let outcome = three_roles("check", 4, &[]).succeeds().without_complaint();
    assert_eq!(
        outcome.stdout,
        "\
OK  48 of 120 connections at the peak: 117 are usable (3 are kept for
    superusers), 69 stay free; 24 without a deploy

WHO   INSTANCES               EACH  STEADY  DEPLOY
api   2 nodes, 4 in a deploy     4       8      16
jobs  2 nodes, 4 in a deploy     4       8      16
web   2 nodes, 4 in a deploy     4       8      16
all                                     24      48
"
    );
}

#[test]
fn what_fits_max_connections_may_still_be_too_much() {
    let outcome = three_roles("check", 10, &[])
        .exits_with(1)
        .without_complaint();
    assert_eq!(
        outcome.stdout,
        "\
ERROR  120 of 120 connections at the peak: 117 are usable (3 are kept for
       superusers), 3 too many; 60 without a deploy

WHO   INSTANCES               EACH  STEADY  DEPLOY
api   2 nodes, 4 in a deploy    10      20      40
jobs  2 nodes, 4 in a deploy    10      20      40
web   2 nodes, 4 in a deploy    10      20      40
all                                     60     120

error B100
   during a deploy 120 connections may be open, but only 117 of max_connections
   120 are usable (3 are kept for superusers): 3 too many
   - api 4 x 10 = 40, jobs 4 x 10 = 40, web 4 x 10 = 40
   - the largest pool that fits all 3 roles is 9
   - or max_connections = 123 (a restart)
"
    );
}

#[test]
fn a_warning_fails_only_a_strict_run_and_exit_zero_fails_none() {
    three_roles("check", 9, &[]).succeeds().says("warning B102");
    three_roles("check", 9, &["--strict"]).exits_with(1);
    three_roles("check", 10, &["--exit-zero"])
        .succeeds()
        .says("error B100");
    three_roles("check", 10, &["--exit-zero", "--strict"]).exits_with(2);
}

#[test]
fn flags_describe_the_server_too() {
    three_roles(
        "check",
        4,
        &[
            "--reserved",
            "10",
            "--superuser-reserved",
            "5",
            "--provider-reserved",
            "2",
        ],
    )
    .succeeds()
    .says("103 are usable (5 are kept for");
    three_roles("check", 4, &["--min-free", "70"])
        .exits_with(1)
        .says("69 of 117 usable slots stay free at the peak, but min_free asks for 70");
}

#[test]
fn what_would_fit_is_said_with_its_sum() {
    let outcome = three_roles("fit", 4, &[]).succeeds().without_complaint();
    assert_eq!(
        outcome.stdout,
        "\
largest pool for all roles: 9
   api 4 x 9 = 36, jobs 4 x 9 = 36, web 4 x 9 = 36: 108 of 117 usable
largest pool of `api`: 21
   api 4 x 21 = 84, jobs 4 x 4 = 16, web 4 x 4 = 16: 116 of 117 usable
most nodes of `api`: 10
   api 20 x 4 = 80, jobs 4 x 4 = 16, web 4 x 4 = 16: 112 of 117 usable
largest pool of `jobs`: 21
   api 4 x 4 = 16, jobs 4 x 21 = 84, web 4 x 4 = 16: 116 of 117 usable
most nodes of `jobs`: 10
   api 4 x 4 = 16, jobs 20 x 4 = 80, web 4 x 4 = 16: 112 of 117 usable
largest pool of `web`: 21
   api 4 x 4 = 16, jobs 4 x 4 = 16, web 4 x 21 = 84: 116 of 117 usable
most nodes of `web`: 10
   api 4 x 4 = 16, jobs 4 x 4 = 16, web 20 x 4 = 80: 112 of 117 usable
smallest max_connections: 51
   48 at the peak + 3 kept back
"
    );
    three_roles("fit", 4, &["--of", "jobs"])
        .succeeds()
        .keeps_quiet_about("`api`");
    three_roles("fit", 4, &["--of", "job"])
        .exits_with(2)
        .complains("no role is called `job`; there is api, jobs, web");
    three_roles("fit", 30, &["--of", "web"])
        .exits_with(1)
        .says("largest pool of `web`: none");
}

#[test]
fn bars_show_roles_and_the_whole_at_80_columns() {
    let outcome = three_roles("show", 10, &[]).succeeds().without_complaint();
    assert_eq!(
        outcome.stdout,
        "\
120 of 120 connections at the peak: 117 are usable (3 are kept for superusers),
3 too many; 60 without a deploy

      STEADY  DEPLOY
api       20      40  ██████████▒▒▒▒▒▒▒▒▒
jobs      20      40  ██████████▒▒▒▒▒▒▒▒▒
web       20      40  ██████████▒▒▒▒▒▒▒▒▒
all       60     120  █████████████████████████████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒╳

█ without a deploy  ▒ more during one  · free  ░ kept back  ╳ too many
"
    );
    let svg = three_roles("show", 4, &["--format", "svg"])
        .succeeds()
        .stdout;
    let picture = roxmltree::Document::parse(&svg).expect("it is XML");
    let bars = picture
        .descendants()
        .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "rect")));
    assert_eq!(
        bars.count(),
        1 + 2 * 4,
        "the ground, and two for each of three roles and all"
    );
    three_roles("show", 4, &["--format", "html"])
        .succeeds()
        .says("<svg xmlns");
}

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
fn wrong_words_on_the_command_line_are_answered() {
    let refused =
        |arguments: &[&str]| lockaudit(&[&["budget", "check"], arguments].concat()).exits_with(2);
    refused(&["--role", "api"]).complains("NAME:nodes=N,pool=N");
    refused(&["--role", "api:nodes=2,pool=-1"]).complains("`pool=-1` is not a whole number");
    refused(&["--role", "api:nodes=2,pool=4,size=1"]).complains("`size` is none of nodes");
    refused(&["--role", "api:nodes=2,pool=4"]).complains("--max-connections N, or --live");
    refused(&["--role", "api:nodes=2,pool=4", "--max-connections", "3"])
        .complains("nothing is left");
    refused(&["--role", "api:nodes=2,pool=4", "--max-connections", "0"]).complains("0 is not in");
    refused(&[
        "--role",
        "api:nodes=2,pool=4",
        "--max-connections",
        "9",
        "--overlap",
        "0",
    ])
    .complains("150%");
    refused(&[
        "--role",
        "api:nodes=2,pool=4",
        "--max-connections",
        "9",
        "-h",
        "db",
    ])
    .complains("add --live");
    refused(&["b.toml", "--role", "api:nodes=2,pool=4"]).complains("cannot be used with");
    refused(&["b.toml", "--max-connections", "9"]).complains("cannot be used with");
    refused(&["--max-connections", "9"]).complains("--role");
}

#[test]
fn numbers_that_no_server_holds_are_an_error_and_no_verdict() {
    let role = "api:nodes=4294967295,processes=4294967295,pool=4294967295";
    lockaudit(&[
        "budget",
        "check",
        "--role",
        role,
        "--max-connections",
        "100",
    ])
    .exits_with(2)
    .complains("the connections of role `api` are out of range");
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
