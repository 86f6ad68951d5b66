//! `lockaudit lease` from the shell: one statement a run, its answer, its status.

use serde_json::Value;

use crate::harness::{Database, Lockaudit, Outcome, Server, lockaudit};

fn lease(db: &Database<'_>, words: &[&str]) -> Outcome {
    lockaudit(&[&["lease"], words, &["-d", &db.url()]].concat())
}

/// A document of `--format json`, as schema/lease.json promises it.
fn document(outcome: &Outcome) -> Value {
    let document = outcome.json();
    let schema = include_str!("../../schema/lease.json");
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    let valid = jsonschema::validator_for(&schema).expect("the schema is one");
    assert!(valid.is_valid(&document), "{document}");
    document
}

fn prepared(name: &str) -> Database<'static> {
    let db = Server::any().database(name);
    lease(&db, &["init"]).succeeds();
    db
}

#[test]
fn the_tables_are_made_when_asked_for_and_never_silently() {
    let db = Server::any().database("init");
    lease(&db, &["take", "sweep"])
        .exits_with(2)
        .complains("there is no table of leases lockaudit_lease")
        .complains("hint: create it once with `lockaudit lease init`");
    lease(&db, &["init", "--role", "worker"])
        .succeeds()
        .says("created lockaudit_lease and lockaudit_lease_log")
        .says("GRANT SELECT, INSERT, UPDATE ON lockaudit_lease TO \"worker\";");
    lease(&db, &["init"]).succeeds().says("there already");
}

#[test]
fn what_is_printed_for_psql_makes_the_same_tables() {
    let db = Server::any().database("printed");
    let printed = lockaudit(&[
        "lease",
        "init",
        "--print-sql",
        "--table",
        "public.\"My leases\"",
    ]);
    let printed = printed.succeeds().stdout;
    let creation = printed
        .split("GRANT")
        .next()
        .expect("there is a first part");
    db.session("psql").runs(creation);
    lease(&db, &["init", "--table", "public.\"My leases\""])
        .succeeds()
        .says("there already");
}

#[test]
fn a_table_of_somebody_elses_is_left_alone() {
    let db = Server::any().database("foreign");
    let session = db.session("owner");
    session.runs("CREATE TABLE lockaudit_lease (name text, holder integer)");
    lease(&db, &["init"])
        .exits_with(2)
        .complains(
            "lockaudit_lease is there, and is not ours: it has no column `holder` of type text",
        )
        .complains("--table");
    assert!(session.says("SELECT to_regclass('lockaudit_lease_log') IS NULL"));
}

#[test]
fn a_lease_is_taken_once_renewed_and_given_back() {
    let db = prepared("life");
    let taken = lease(
        &db,
        &["take", "sweep", "--format", "json", "--reason", "nightly"],
    );
    let taken = document(&taken.succeeds().without_complaint());
    let holder = taken["lease"]["holder"]
        .as_str()
        .expect("a holder")
        .to_owned();
    let token = taken["lease"]["token"]
        .as_str()
        .expect("a token")
        .to_owned();
    lease(&db, &["take", "sweep"])
        .exits_with(1)
        .complains(&format!("not granted: {holder} has sweep, for another 1m"));
    let of_term = ["--holder", &holder, "--token", &token];
    let term = |word| lease(&db, &[&[word, "sweep"], &of_term[..]].concat());
    term("renew").succeeds().says("for another 1m 59s");
    term("check").succeeds().says(&holder);
    lease(&db, &["check", "sweep", "--holder", "somebody"])
        .exits_with(1)
        .complains("not valid");
    term("release").succeeds().says("released: sweep");
    term("release").exits_with(1).complains("nothing done");
    term("renew")
        .exits_with(1)
        .complains("lost: sweep is no more");
    let check = lease(&db, &["check", "sweep", "--format", "json"]).exits_with(1);
    assert_eq!(document(&check)["lease"], Value::Null);
    let events = document(&lease(&db, &["history", "sweep", "--format", "json"]).succeeds());
    assert_eq!(events["events"][0]["event"], "released");
    assert_eq!(events["events"][1]["reason"], "nightly");
}

#[test]
fn the_same_holder_gets_the_same_lease_again() {
    let db = prepared("again");
    let take = || {
        let taken = lease(
            &db,
            &["take", "sweep", "--holder", "me", "--format", "json"],
        );
        document(&taken.succeeds())["lease"]["token"].clone()
    };
    assert_eq!(take(), take());
}

#[test]
fn a_shell_keeps_the_lease_in_its_environment() {
    let db = prepared("shell");
    let taken = lease(
        &db,
        &["take", "it's mail", "--ttl", "90s", "--format", "sh"],
    )
    .succeeds();
    let values = taken.stdout.lines().map(|line| {
        let (name, value) = line
            .strip_prefix("export ")
            .and_then(|rest| rest.split_once('='))
            .unwrap_or_else(|| panic!("{line}"));
        (
            name.to_owned(),
            value.trim_matches('\'').replace(r"'\''", "'"),
        )
    });
    let values: Vec<(String, String)> = values.collect();
    let with_values = |word: &str| {
        let run = Lockaudit::new(&["lease", word, "-d", &db.url()]);
        let run = values
            .iter()
            .fold(run, |run, (name, value)| run.env(name, value));
        run.run()
    };
    with_values("renew").succeeds().says("for another 1m 29s");
    with_values("check").succeeds();
    with_values("release")
        .succeeds()
        .says("released: it's mail");
}

#[test]
fn a_broken_lease_is_lost_to_its_holder_and_its_reason_is_kept() {
    let db = prepared("broken");
    lease(&db, &["take", "sweep", "--holder", "me"]).succeeds();
    lease(&db, &["break", "sweep"])
        .exits_with(2)
        .complains("--reason");
    lease(&db, &["break", "sweep", "--reason", "host is gone"])
        .succeeds()
        .says("broken: sweep of me under token")
        .complains("may still be at work");
    lease(&db, &["break", "sweep", "--reason", "again"])
        .exits_with(1)
        .complains("nobody has sweep");
    lease(&db, &["history"]).succeeds().says("host is gone");
}

#[test]
fn the_list_tells_held_from_overdue_from_expired_from_free() {
    let db = prepared("list");
    lease(&db, &["list"])
        .succeeds()
        .says("no lease was ever taken");
    for name in ["free", "held", "late", "over"] {
        lease(&db, &["take", name, "--holder", "me"]).succeeds();
    }
    let session = db.session("clock");
    session.runs("UPDATE lockaudit_lease SET holder = NULL WHERE name = 'free'");
    session.runs(
        "UPDATE lockaudit_lease SET expires_at = now() + interval '30 s' WHERE name = 'late'",
    );
    session
        .runs("UPDATE lockaudit_lease SET expires_at = now() - interval '1 h' WHERE name = 'over'");
    let list = document(&lease(&db, &["list", "--format", "json"]).succeeds());
    let leases = list["leases"].as_array().expect("a list");
    let states = leases
        .iter()
        .map(|lease| lease["state"].as_str().expect("a state"));
    assert_eq!(
        states.collect::<Vec<_>>(),
        ["free", "held", "overdue", "expired"]
    );
    lease(&db, &["list"])
        .succeeds()
        .says("renewal overdue, 29s left")
        .says("expired 1h ago, not taken");
}

#[test]
fn pruning_keeps_the_last_grant_of_each_name() {
    let db = prepared("pruned");
    for holder in ["one", "other"] {
        lease(&db, &["take", "sweep", "--holder", holder]).succeeds();
        lease(&db, &["break", "sweep", "--reason", "test"]).succeeds();
    }
    lease(&db, &["take", "sweep", "--holder", "last"]).succeeds();
    lease(&db, &["prune"]).succeeds().says("deleted 0 events");
    lease(&db, &["prune", "--older-than", "0s"])
        .succeeds()
        .says("deleted 4 events");
    let events = document(&lease(&db, &["history", "--format", "json"]).succeeds());
    assert_eq!(events["events"].as_array().map(Vec::len), Some(1));
    assert_eq!(events["events"][0]["holder"], "last");
}

/// `eval "$(…)"` forgets the status, and evaluating nothing succeeds.
#[test]
fn a_shell_that_evaluates_the_answer_stops_where_there_is_no_lease() {
    let db = prepared("eval");
    lease(&db, &["take", "sweep"]).succeeds();
    let evaluated = |words: &str, url: &str| {
        let script = r#"eval "$($LOCKAUDIT lease $WORDS -f sh -d "$URL")" || exit 9; echo works"#;
        let output = std::process::Command::new("sh")
            .args(["-c", script])
            .env("LOCKAUDIT", env!("CARGO_BIN_EXE_lockaudit"))
            .env("WORDS", words)
            .env("URL", url)
            .output()
            .expect("there is a shell");
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
        )
    };
    let stopped = (Some(9), String::new());
    let nowhere = "postgresql://127.0.0.1:1/nowhere";
    assert_eq!(evaluated("take sweep", &db.url()), stopped);
    assert_eq!(evaluated("take sweep", nowhere), stopped);
    assert_eq!(evaluated("check other", &db.url()), stopped);
    let strange = "renew sweep --holder stranger --token 1";
    assert_eq!(evaluated(strange, &db.url()), stopped);
    let works = (Some(0), "works\n".to_owned());
    assert_eq!(evaluated("take other", &db.url()), works);
}

#[test]
fn hostile_names_reach_a_terminal_tamely() {
    let db = prepared("hostile");
    let name = "\u{1b}[2Jnight\nly \u{202e}";
    lease(&db, &["take", name, "--holder", "\u{1b}[31mme"])
        .succeeds()
        .tame();
    lease(&db, &["take", name]).exits_with(1).tame();
    lease(&db, &["list"]).succeeds().tame();
    lease(&db, &["history"]).succeeds().tame();
    let list = document(&lease(&db, &["list", "--format", "json"]).succeeds().tame());
    assert_eq!(list["leases"][0]["name"], name);
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_done() {
    let db = prepared("senseless");
    lease(&db, &["take", "sweep", "--ttl", "10ms"])
        .exits_with(2)
        .complains("1s at least");
    lease(&db, &["take", ""])
        .exits_with(2)
        .complains("a lease needs a name");
    lease(&db, &["take", "sweep", "--set-role", "x"])
        .exits_with(2)
        .complains("--set-role is for looking");
    lease(&db, &["take", "sweep", "--table", "a.b.c"])
        .exits_with(2)
        .complains("give `table` or `schema.table`");
    lease(&db, &["list"])
        .succeeds()
        .says("no lease was ever taken");
}

#[test]
fn whoever_is_refused_learns_that_nothing_was_granted_and_what_to_grant() {
    let role = Server::any().role("looks_only");
    let db = prepared("refused");
    db.session("owner").runs(&format!(
        "GRANT SELECT ON lockaudit_lease, lockaudit_lease_log TO {}",
        role.name()
    ));
    let url = db.url_as(role.name());
    let outcome = lockaudit(&["lease", "take", "sweep", "-d", &url]).exits_with(2);
    assert!(!outcome.stderr.contains("not known"), "{outcome}");
    outcome.complains("permission denied").complains(
        "hint: `lockaudit lease init --print-sql --role ROLE` prints what a role must be granted",
    );
    lockaudit(&["lease", "run", "sweep", "-d", &url, "--", "true"])
        .exits_with(125)
        .complains("prints what a role must be granted");
}

#[test]
fn a_role_that_reads_only_learns_why_it_cannot_take_leases() {
    let db = prepared("read_only");
    let url = format!(
        "{}&options=-c%20default_transaction_read_only%3Don",
        db.url()
    );
    let outcome = lockaudit(&["lease", "take", "sweep", "-d", &url]).exits_with(2);
    assert!(
        !outcome.stderr.contains("change target_session_attrs"),
        "{outcome}"
    );
    outcome.complains("default_transaction_read_only");
    lockaudit(&["lease", "check", "sweep", "-d", &url]).exits_with(1);
}

#[test]
fn rows_that_somebody_wrote_by_hand_are_shown_and_can_be_broken() {
    Server::each(|server| {
        let db = server.database("by_hand");
        lease(&db, &["init"]).succeeds();
        db.session("by hand").runs(
            "INSERT INTO lockaudit_lease (name, holder, token, expires_at) VALUES
                ('ever', 'somebody', 5, 'infinity'),
                ('far', 'somebody', 6, '294276-12-31'),
                ('never', 'somebody', 7, '-infinity'),
                ('odd', 'somebody', -7, now() + interval '1 h')",
        );
        lease(&db, &["list"]).succeeds().says("ever ").says("far ");
        let list = document(&lease(&db, &["list", "-f", "json"]).succeeds());
        let states: Vec<&Value> = (0..4).map(|row| &list["leases"][row]["state"]).collect();
        assert_eq!(states, ["held", "held", "expired", "held"]);
        for name in ["ever", "far"] {
            lease(&db, &["check", name])
                .succeeds()
                .says("until after the year 9999");
            lease(&db, &["take", name])
                .exits_with(1)
                .complains("somebody has");
            lease(&db, &["break", name, "--reason", "by hand"]).succeeds();
            lease(&db, &["take", name]).succeeds();
        }
        lease(&db, &["take", "never"]).succeeds();
    });
}
