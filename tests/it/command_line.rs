//! What can be typed, and what is said when it is typed wrong.

use crate::harness::{Lockaudit, Outcome, Server, lockaudit, scan_with};

const PASSWORD: &str = "s3cret-of-the-tests";

#[test]
fn a_wrong_word_is_answered_with_the_right_ones() {
    let url = Server::any().address().url();
    let refused = |arguments: &[&str]| {
        let outcome = lockaudit(&[&["scan", url.as_str()], arguments].concat());
        let outcome = outcome.exits_with(2).tame();
        assert_eq!(outcome.stdout, "", "{arguments:?}");
        outcome
    };
    for flag in ["--include", "--exclude"] {
        refused(&[flag, "idle-hodler"])
            .complains("`idle-hodler`")
            .complains("idle-holder")
            .complains("starved-pool");
    }
    refused(&["--database", "nowhere"])
        .complains("there is no database `nowhere`; there is ")
        .complains("template1");
    refused(&["--pool-size", "api"]).complains("APPLICATION_NAME=N");
    refused(&["--pool-size", "api=0"]).complains("`0` is not a number of connections");
    refused(&["--idle-after", "soon"]).complains("write 30s, 5m or 1h 30m");
    refused(&["--fail-on", "fatal"]).complains("critical");
    refused(&["--format", "yaml"]).complains("json");
    refused(&["--query", "all"]).complains("short");
    refused(&["--color", "blue"]).complains("never");
    refused(&["--no-such-flag"]).complains("--no-such-flag");
    refused(&["second-argument"]).complains("second-argument");
    lockaudit(&["scna"]).exits_with(2).complains("scan");
    lockaudit(&["explain", "idle"])
        .exits_with(2)
        .complains("idle-holder");
    lockaudit(&[]).exits_with(2).complains("Usage: lockaudit");
}

#[test]
fn help_and_version_have_the_letters_that_libpq_tools_leave_free() {
    let long = lockaudit(&["--help"]).succeeds().without_complaint();
    let short = lockaudit(&["-?"]).succeeds();
    assert!(long.stdout.contains("Exit status: ") && short.stdout.contains("Usage: "));
    let (scan, also) = (lockaudit(&["scan", "-?"]), lockaudit(&["scan", "--help"]));
    let scan = scan.succeeds().says("--pool-size").says("-h, --host");
    assert!(also.succeeds().stdout.len() >= scan.stdout.len());
    let version = format!("lockaudit {}\n", env!("CARGO_PKG_VERSION"));
    for flag in ["-V", "--version"] {
        assert_eq!(lockaudit(&[flag]).succeeds().stdout, version);
    }
}

#[test]
fn chosen_rules_decide_what_is_found_and_how_a_run_ends() {
    let server = Server::any();
    let db = server.database("chosen");
    let (holder, waiter) = (db.session("holder"), db.session("waiter"));
    holder.idle_with(42);
    let scan = |arguments: &[&str]| {
        let start = ["scan", &db.url(), "--database", db.name()];
        lockaudit(&[&start, arguments].concat())
    };
    let resting = ["--include", "idle-holder", "--idle-after", "1h"];
    for (threshold, status) in [("info", 1), ("warning", 0), ("critical", 0)] {
        scan(&[&resting[..], &["--fail-on", threshold]].concat()).exits_with(status);
    }
    let overdue = ["--include", "idle-holder", "--idle-after", "0s"];
    for (threshold, status) in [("info", 1), ("warning", 1), ("critical", 0)] {
        scan(&[&overdue[..], &["--fail-on", threshold]].concat()).exits_with(status);
    }
    waiter.waits_for(42);
    let both = ["--include", "idle-holder", "--include", "blocked-waiters"];
    scan(&both)
        .exits_with(1)
        .says(" idle-holder, ")
        .says(" blocked-waiters, ");
    scan(&["--include", "idle-holder"])
        .exits_with(1)
        .says(" idle-holder, ")
        .keeps_quiet_about(" blocked-waiters, ");
    let excluded = [&both[..], &["--exclude", "idle-holder"]].concat();
    scan(&excluded)
        .keeps_quiet_about(" idle-holder, ")
        .says(" blocked-waiters, ");
    let none = ["--include", "standby-lock"];
    scan(&none)
        .exits_with(0)
        .says("OK  ")
        .says("3 findings of other rules are left out");
}

#[test]
fn one_database_can_be_looked_at_and_the_whole_server_still_counts() {
    let server = Server::any();
    let (here, there) = (server.database("here"), server.database("there"));
    let (near, far) = (here.session("near"), there.session("far"));
    near.idle_with(1);
    far.idle_with(2);
    let url = here.url();
    let look = |databases: &[&str]| {
        let names = databases.iter().flat_map(|name| ["--database", name]);
        let start = ["scan", "--format", "json"];
        let all: Vec<&str> = start
            .into_iter()
            .chain([url.as_str()])
            .chain(names)
            .collect();
        lockaudit(&all).valid_json()
    };
    let document = look(&[here.name()]);
    assert_eq!(document["locks"].as_array().map(Vec::len), Some(1));
    assert_eq!(document["locks"][0]["datname"], here.name());
    let sessions = document["sessions"].to_string();
    assert!(sessions.contains("\"far\""), "it takes a slot: {sessions}");
    let both = look(&[here.name(), there.name()]);
    assert_eq!(both["locks"].as_array().map(Vec::len), Some(2));
}

#[test]
fn what_is_hidden_in_another_database_does_not_weaken_the_verdict_on_this_one() {
    let server = Server::any();
    let (here, there) = (server.database("clear"), server.database("hidden"));
    let untracked = there.session("untracked");
    untracked.runs("SET track_activities = off").idle_with(2);
    let quiet = scan_with(&here, &["--strict"]).exits_with(0);
    assert_eq!(
        quiet.document["blind_spots"].as_array().map(Vec::len),
        Some(0),
        "{quiet}"
    );
    let verdict = "no advisory lock is held or waited for";
    assert_eq!(quiet.document["summary"]["verdict"], verdict, "{quiet}");
    let hidden = scan_with(&there, &["--strict"]).exits_with(2);
    assert_eq!(
        hidden.document["blind_spots"][0]["code"], "untracked-sessions",
        "{hidden}"
    );
}

#[test]
fn strict_refuses_to_answer_for_what_it_cannot_see() {
    let server = Server::any();
    let (plain, monitor) = (
        server.role("plain"),
        server.role("monitor").member_of("pg_monitor"),
    );
    let db = server.database("strict");
    let _session = db.session("somebody");
    let scan = |role: &str| {
        lockaudit(&[
            "scan",
            &db.url_as(role),
            "--strict",
            "--include",
            "standby-lock",
            "--database",
            db.name(),
        ])
    };
    scan(plain.name())
        .exits_with(2)
        .says("not seen: ")
        .says("GRANT pg_monitor");
    scan(monitor.name()).keeps_quiet_about("belong to other roles");
}

#[test]
fn query_texts_are_shown_as_far_as_asked() {
    let server = Server::any();
    let db = server.database("texts");
    let session = db.session("somebody");
    let long = format!("SELECT 1 AS {}", "x".repeat(50)) + " /* " + &"y".repeat(400) + " */";
    session.runs(&long);
    let text = |detail: &str| {
        let scan = lockaudit(&["scan", &db.url(), "--format", "json", "--query", detail]);
        let document = scan.valid_json();
        let sessions = document["sessions"].as_array().expect("a list").clone();
        let texts = sessions.iter().filter(|other| other["query"].is_string());
        let found = sessions.iter().find(|other| other["pid"] == session.pid());
        (found.expect("it is there")["query"].clone(), texts.count())
    };
    assert_eq!(text("none"), (serde_json::Value::Null, 0));
    assert_eq!(text("full").0, long.as_str());
    let short = text("short").0.as_str().map(str::to_owned).expect("a text");
    assert_eq!(short, long[..200].to_owned() + "…");
}

#[test]
fn a_scan_looks_as_another_role_where_that_is_granted() {
    let server = Server::any();
    let watcher = server.role("watcher").member_of("pg_monitor");
    let plain = server.role("plain");
    let login = server.role("login").member_of(watcher.name());
    let db = server.database("set_role");
    let admin = server.admin();
    // Only by SET ROLE: membership alone gives nothing.
    admin.runs(&format!("ALTER ROLE {} NOINHERIT", login.name()));
    let _session = db.session("somebody");
    let url = db.url_as(login.name());
    let look =
        |role: &[&str]| lockaudit(&[&["scan", url.as_str(), "--format", "json"], role].concat());
    let unaided = look(&[]).valid_json();
    assert_eq!(unaided["visibility"]["pg_read_all_stats"], false);
    let aided = look(&["--set-role", watcher.name()]).valid_json();
    assert_eq!(aided["visibility"]["role"], watcher.name());
    assert_eq!(aided["visibility"]["pg_read_all_stats"], true);
    assert_eq!(aided["visibility"]["hidden_sessions"], 0);
    look(&["--set-role", plain.name()])
        .exits_with(2)
        .complains("could not take the role of --set-role")
        .complains("permission denied to set role");
    look(&["--set-role", "nobody_of_this_name"])
        .exits_with(2)
        .complains("does not exist");
}

#[test]
fn colour_is_for_who_wants_it() {
    let url = Server::any().address().url();
    let coloured = |choice: &str, variables: &[(&str, &str)]| {
        let run = Lockaudit::new(&["scan", &url, "--include", "standby-lock", "--color", choice]);
        let run = variables
            .iter()
            .fold(run, |run, (name, value)| run.env(name, value));
        run.run().exits_with(0).stdout.contains('\u{1b}')
    };
    assert!(coloured("always", &[]));
    assert!(coloured("always", &[("NO_COLOR", "1")]));
    assert!(!coloured("never", &[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured("auto", &[]));
    assert!(coloured("auto", &[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(
        "auto",
        &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]
    ));
}

#[test]
fn no_password_is_ever_shown() {
    let server = Server::any();
    let port = server.address().over_tcp().url();
    let (_, rest) = port.split_once('@').expect("a URL");
    for connection in [
        format!("postgresql://nobody:{PASSWORD}@{rest}"),
        format!("postgresql://postgres:{PASSWORD}@{rest}?sslmode=bogus"),
        format!("postgresql://postgres:{PASSWORD}@127.0.0.1:port/db"),
        format!("postgresql://postgres:{PASSWORD}@[::1/db"),
        format!("postgresql://postgres:{PASSWORD}%zz@{rest}"),
        format!("postgresql://postgres:{PASSWORD}@{rest}&password={PASSWORD}"),
        format!("host=127.0.0.1 password={PASSWORD} port"),
        format!("host=127.0.0.1 password='{PASSWORD}"),
        format!("host=127.0.0.1 passwort={PASSWORD}"),
        format!("postgres://u:{PASSWORD}@127.0.0.1:1/db"),
    ] {
        quiet_about_it(&Lockaudit::new(&["scan", &connection]).run());
        let traced = Lockaudit::new(&["scan", &connection]);
        quiet_about_it(&traced.env("RUST_BACKTRACE", "1").run());
        let variable = Lockaudit::new(&["scan"]).env("LOCKAUDIT_DSN", &connection);
        quiet_about_it(&variable.env("RUST_BACKTRACE", "full").run());
        let typed_twice = Lockaudit::new(&["scan", "-d", &connection, &connection]);
        quiet_about_it(&typed_twice.run());
    }
}

#[track_caller]
fn quiet_about_it(outcome: &Outcome) {
    assert_eq!(outcome.status.code(), Some(2), "{outcome}");
    let said = format!("{}{}", outcome.stdout, outcome.stderr);
    assert!(!said.contains(PASSWORD), "{said}");
    assert!(!said.contains("stack backtrace"), "{said}");
    assert!(said.contains("error: "), "{said}");
}
